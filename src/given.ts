/** The flags of a command line as they were written, so that a command that is suggested can repeat them. */
import type { Command } from 'commander';
import type { GlobalFlags } from './settings.ts';
import { shellWord } from './shell.ts';

export class GivenFlags {
  readonly #given = new Map<string, string | undefined>();

  /** To be made when the command has all its options; it hears of the flags when they are parsed. */
  constructor(command: Command) {
    for (let level: Command | null = command; level !== null; level = level.parent) {
      for (const option of level.options) {
        level.on(`option:${option.name()}`, (text: string | null | undefined) =>
          this.#given.set(option.long ?? option.flags, text ?? undefined),
        );
      }
    }
  }

  /** Those of some flags that were given, as a shell takes them, with a space before each. */
  only(flags: readonly string[]): string {
    return this.#written((flag) => flags.includes(flag));
  }

  /** All but some flags. */
  except(flags: readonly string[]): string {
    return this.#written((flag) => !flags.includes(flag));
  }

  #written(isWanted: (flag: string) => boolean): string {
    return [...this.#given]
      .filter(([flag]) => isWanted(flag))
      .map(([flag, text]) => (text === undefined ? ` ${flag}` : ` ${flag} ${shellWord(text)}`))
      .join('');
  }
}

/** The flags that say which service is meant, with a space before each. */
export function connectionFlags(flags: GlobalFlags): string {
  const { profile, local, store, baseUrl, org, apiKeyFile, insecureHttp } = flags;
  const values = {
    '--profile': profile,
    '--store': store,
    '--base-url': baseUrl?.href.replace(/\/+$/, ''),
    '--org': org,
  };
  const words = Object.entries({ ...values, '--api-key-file': apiKeyFile }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${shellWord(String(value))}`],
  );
  if (local) words.unshift('--local');
  if (insecureHttp) words.push('--insecure-http');
  return words.map((word) => ` ${word}`).join('');
}
