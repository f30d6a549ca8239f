/** Example numbers in every spelling, read in every country: what is misread, and what is refused though it is right. */
import { type NumberReader, numberReader } from '../../src/contacts/numbers/phone-cell.ts';
import { COUNTRIES, EXAMPLES, isHonest, meanings, spellingsOf } from '../contacts/numbers/spellings.ts';

interface Tally {
  read: number;
  accepted: number;
  misread: number;
  honest: number;
  refused: number;
}

const tallies = new Map<string, Tally>();
const shown: string[] = [];
const MOST_SHOWN = Number(process.env.VAGENT_BENCH_SHOWN ?? 40);
const refused: string[] = [];
/** Of each kind. */
const MOST_REFUSED_SHOWN = Number(process.env.VAGENT_BENCH_REFUSED ?? 3);
/** One example number in so many is read; all of them with 1, in some ten minutes. */
const STEP = Number(process.env.VAGENT_BENCH_STEP ?? 10);
const examples = EXAMPLES.filter((_, at) => at % STEP === 0);

for (const reader of COUNTRIES) {
  const read: NumberReader = numberReader(reader);
  for (const example of examples) {
    for (const spelling of spellingsOf(example, reader)) {
      const tally = tallyOf(spelling.kind);
      tally.read++;
      const reading = read(spelling.text);
      const honest = isHonest(spelling, example, reader);
      if (honest) tally.honest++;
      if ('code' in reading) {
        if (honest && ++tally.refused <= MOST_REFUSED_SHOWN) {
          refused.push(`${reader}: ${spelling.kind} ${spelling.text} refused: ${reading.fix}`);
        }
        continue;
      }
      tally.accepted++;
      const meant = meanings(spelling, reader);
      if (meant.includes(reading.number)) continue;
      tally.misread++;
      if (shown.length < MOST_SHOWN) {
        shown.push(
          `${reader}: ${spelling.kind} ${spelling.text} → ${reading.number}, not ${meant.join(' or ') || 'a number'}`,
        );
      }
    }
  }
}

function tallyOf(kind: string): Tally {
  const tally = tallies.get(kind) ?? { read: 0, accepted: 0, misread: 0, honest: 0, refused: 0 };
  tallies.set(kind, tally);
  return tally;
}

const total = { read: 0, accepted: 0, misread: 0, honest: 0, refused: 0 };
for (const tally of tallies.values()) {
  for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key];
}
const line = (kind: string, { read, accepted, misread, honest, refused }: Tally) => {
  const [all, taken, wrong, lost, right] = [read, accepted, misread, refused, honest].map((n) => String(n).padStart(9));
  return `  ${kind.padEnd(26)} ${all} read ${taken} accepted ${wrong} misread ${lost} of ${right} right ones refused\n`;
};
process.stdout.write(`${examples.length} numbers read in ${COUNTRIES.length} countries\n`);
for (const [kind, tally] of tallies) process.stdout.write(line(kind, tally));
process.stdout.write(line('all', total));
for (const text of [...shown, ...refused]) process.stdout.write(`${text}\n`);
