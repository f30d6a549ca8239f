/** What a person is asked, as data. */

export interface Choice<T> {
  name: string;
  value: T;
}

interface Asking {
  /**
   * The flag or the argument (`<to>`) that the answer stands for, in the words of the error if nobody can be asked; '' if none
   * does.
   */
  flag: string;
  message: string;
  /** A few words behind the message while it is answered. */
  hint?: string;
  /** A sentence shown above the question. */
  help?: string;
}

/** An answer that is typed. A text that will not do makes `parse` throw, and is asked for again. */
export interface TextQuestion<T> extends Asking {
  parse: (text: string) => T | Promise<T>;
  /** The text that Enter alone gives. */
  preset?: string | undefined;
  /** It is not shown while it is typed, and is no part of any command line. */
  isSecret?: true;
  /** It may have several lines, and may be written in an editor. */
  mayHaveLines?: true;
}

/** An answer that is chosen from a list, which is read while somebody looks at its first page. */
export interface ListQuestion<T> extends Asking {
  choices: () => AsyncIterable<Choice<T>[]> | Promise<Choice<T>[]>;
  /** Reads the answer where the list cannot be read, and another than the listed ones if `other` names such. */
  parse?: (text: string) => T | Promise<T>;
  other?: string;
  /** The choice that Enter alone takes. */
  preset?: T | undefined;
}

/** One of a few names. */
export function askOneOf<const T extends string>(flag: string, message: string, names: readonly T[]): ListQuestion<T> {
  return { flag, message, choices: async () => names.map((name) => ({ name, value: name })) };
}

export type Question<T> = TextQuestion<T> | ListQuestion<T>;
