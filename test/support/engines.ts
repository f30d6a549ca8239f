/** Where a register can be: in a file of SQLite, and in PostgreSQL, if one answers. */
import { emptiedSchema } from './postgres.ts';
import { temporaryFolder } from './program.ts';

export interface Engine {
  name: string;
  /** Asked once while tests are collected: then each test that follows another gets an empty place. */
  places(): () => Promise<string>;
}

export const ENGINES: Engine[] = [
  { name: 'SQLite', places: () => async () => temporaryFolder() },
  ...(process.env.VAGENT_TEST_DATABASE ? [{ name: 'PostgreSQL', places: emptiedSchema }] : []),
];
