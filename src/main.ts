/** What a program that runs vagent in its own process needs: `main` runs one command line and returns its exit code. */
export { run as main, standardStreams } from './run.ts';
