/** Flags as a table: a line each, by the name of its option. */

/** As it is written, what it does, and how its value is read; without a reader it takes none. */
export type Flag = readonly [flags: string, help: string, read?: (text: string, before: never) => unknown];
export type FlagTable = Readonly<Record<string, Flag>>;

export type OptionsOf<T extends FlagTable> = {
  [K in keyof T]?: T[K] extends readonly [string, string, (text: string, before: never) => infer V] ? V : true;
};
