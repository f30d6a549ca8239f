/** A timer that runs a plan, as each system writes it: systemd, cron, launchd, Windows. */
import { UsageError } from '../../errors.ts';
import { shellWord } from '../../text/shell.ts';
import { MINUTE } from '../../text/units.ts';

/** How often it runs, of any system: `*` of a clock's minutes. */
export const MINUTES = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60];

export interface Timer {
  name: string;
  /** In words, for whoever looks at it. */
  about: string;
  /** One of `MINUTES`. */
  minutes: number;
  /** The program, and its arguments; no system's quoting. */
  words: readonly string[];
}

/** Of the timers of a register; `key` is the same text for the same register. Two registers may each have a plan 1. */
export function timerName(planId: number, key: string): string {
  return `vagent-plan-${planId}-${key}`;
}

const NAME = /vagent-plan-(\d{1,15})-([0-9a-f]{8})/;

/** The plan and the register of a name. */
export function readTimerName(name: string): { planId: number; key: string } | undefined {
  const [whole, digits, key] = NAME.exec(name) ?? [];
  return whole !== name || key === undefined ? undefined : { planId: Number(digits), key };
}

/** What a line cannot hold in any quotes. */
export function requireOneLine(words: readonly string[]): void {
  const strange = words.find((word) => /\p{Cc}/u.test(word));
  if (strange === undefined) return;
  throw new UsageError(`A timer cannot hold ${JSON.stringify(strange)}: it has a line break or a control character.`);
}

export function everyInWords(minutes: number): string {
  if (minutes === 60) return 'every hour';
  return minutes === 1 ? 'every minute' : `every ${minutes} min`;
}

// systemd ------------------------------------------------------------------------------------------------------------

/** `%` begins a specifier, and `$` a variable. */
function unitWord(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${escaped.replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}

/** By the names of their files. */
export function units({ name, about, minutes, words }: Timer): Record<string, string> {
  const description = `Description=vagent: ${about.replaceAll('%', '%%')}`;
  const when = minutes === 60 ? '*:00' : `*:0/${minutes}`;
  return {
    [`${name}.service`]: `[Unit]
${description}

[Service]
Type=oneshot
ExecStart=${words.map(unitWord).join(' ')}
`,
    [`${name}.timer`]: `[Unit]
${description}

[Timer]
OnCalendar=${when}
Persistent=true

[Install]
WantedBy=timers.target
`,
  };
}

export function minutesOfUnit(text: string): number | undefined {
  const [, minutes] = /^OnCalendar=\*:(?:0\/)?(\d+)$/m.exec(text) ?? [];
  return known(minutes === '00' ? 60 : Number(minutes));
}

// cron ---------------------------------------------------------------------------------------------------------------

/** Bytes: cron takes no longer line. */
const LONGEST_LINE = 990;

/**
 * Throws UsageError if it would be too long. cron replaces `%` by a line break, in quotes too, unless a backslash stands before it;
 * some take two backslashes for one. So the quotes end after a backslash of ours, and begin again.
 */
export function crontabLine({ name, minutes, words }: Timer): string {
  const command = words
    .map(shellWord)
    .join(' ')
    .replace(/\\(?=[\\%])/g, "\\''")
    .replaceAll('%', '\\%');
  const when = minutes === 60 ? '0' : minutes === 1 ? '*' : `*/${minutes}`;
  const line = `${when} * * * * ${command} # ${name}`;
  if (Buffer.byteLength(line) <= LONGEST_LINE) return line;
  throw new UsageError(`The line would be longer than the ${LONGEST_LINE} bytes that cron takes.`, {
    hint: 'Put what --notify runs into a file, name a profile (vagent profile add), or give it a shorter PATH.',
  });
}

/** Of a line that runs one of ours, however somebody has changed it. */
export function readCrontabLine(line: string): { name: string; minutes: number | undefined } | undefined {
  const [, when = '', name] = /^\s*([^#\s].*)\s#\s*(vagent-plan-\d{1,15}-[0-9a-f]{8})\s*$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const [, minutes] = /^(\*(?:\/\d+)?|0) \* \* \* \* /.exec(when) ?? [];
  if (minutes === '0' || minutes === '*') return { name, minutes: minutes === '0' ? 60 : 1 };
  return { name, minutes: known(Number(minutes?.replace('*/', ''))) };
}

/** A crontab with the line of a timer, or without it; every other line stays as it is, byte for byte. */
export function withLine(crontab: string, name: string, line: string | undefined): string {
  const lines = crontab.split('\n');
  const at = lines.findIndex((one) => readCrontabLine(one)?.name === name);
  const others = lines.filter((one) => readCrontabLine(one)?.name !== name);
  if (line === undefined) return others.join('\n');
  if (at !== -1) return others.toSpliced(at, 0, line).join('\n');
  return `${crontab}${crontab === '' || crontab.endsWith('\n') ? '' : '\n'}${line}\n`;
}

function known(minutes: number): number | undefined {
  return MINUTES.includes(minutes) ? minutes : undefined;
}

// launchd ------------------------------------------------------------------------------------------------------------

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function xml(text: string): string {
  return `<string>${text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign)}</string>`;
}

/** What a run says goes into a file of the folder `logs`: launchd would throw it away. */
export function plist({ name, minutes, words }: Timer, logs: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${xml(name)}
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    ${xml(word)}\n`).join('')}  </array>
  <key>StartInterval</key>
  <integer>${(minutes * MINUTE) / 1000}</integer>
  <key>StandardErrorPath</key>
  ${xml(`${logs}/${name}.log`)}
</dict>
</plist>
`;
}

export function minutesOfPlist(text: string): number | undefined {
  const [, seconds] = /<key>StartInterval<\/key>\s*<integer>(\d+)</.exec(text) ?? [];
  return known(Number(seconds) / 60);
}

// Windows ------------------------------------------------------------------------------------------------------------

/** As programs of Windows read their words: a backslash before a quote counts as such. */
function windowsWord(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`;
}

/** All of these are single quotes for PowerShell. */
const quoted = (text: string) => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

/** The line of PowerShell that makes it; schtasks takes no more than 261 characters. */
export function taskLine({ name, minutes, words: [program = '', ...words] }: Timer): string {
  const action = `New-ScheduledTaskAction -Execute ${quoted(program)} -Argument ${quoted(words.map(windowsWord).join(' '))}`;
  const every = `-RepetitionInterval (New-TimeSpan -Minutes ${minutes})`;
  const settings = '-AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable';
  return (
    `Register-ScheduledTask -Force -TaskName ${name} -Action (${action}) ` +
    `-Trigger (New-ScheduledTaskTrigger -Once -At (Get-Date) ${every}) -Settings (New-ScheduledTaskSettingsSet ${settings})`
  );
}
