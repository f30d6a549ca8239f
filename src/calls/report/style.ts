/** The style of the report: light and dark, on screens of any width and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --page: #fff; --ink: #1b2330; --quiet: #566172; --rule: #d9dee5; --card: #f5f7f9 }
.dark { display: none }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #12161c; --ink: #e8ecf1; --quiet: #a3adba; --rule: #303844; --card: #1a2028 }
  .dark { display: block }
  .light { display: none }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 0 0 .5rem }
header p, .remark, section > p { color: var(--quiet); margin: .25rem 0 }
code { display: inline-block; overflow-wrap: anywhere; margin-right: .5rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .5rem; margin: 1.25rem 0 }
dl div { background: var(--card); border-radius: .4rem; padding: .5rem .75rem }
dt { color: var(--quiet); font-size: .85rem }
dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums }
main { display: flow-root }
section { margin: 2rem 0 0 }
.chart { overflow-x: auto }
.chart svg { display: block; width: 100%; height: auto; min-width: 20rem }
.wide svg { min-width: 40rem }
.numbers { max-height: 16rem; overflow: auto; border-top: 1px solid var(--rule); margin-top: .5rem }
.numbers:focus-visible { outline: 2px solid var(--quiet) }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule) }
th:first-child { text-align: left; font-weight: normal; white-space: normal;
  overflow-wrap: anywhere; min-width: 7rem }
thead th { position: sticky; top: 0; background: var(--page); color: var(--quiet); font-weight: normal }
.wide td, .wide thead th { padding: .2rem .35rem }
@media (min-width: 60rem) {
  main { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2.5rem; align-items: start }
  dl, .remark, .wide { grid-column: 1 / -1 }
  section { min-width: 0 }
}
@media print {
  body { max-width: none; padding: 0 }
  .numbers { max-height: none; overflow: visible }
  thead th { position: static }
  tr, .chart, h2 { break-inside: avoid; break-after: auto }
  h2 { break-after: avoid }
}
`;
