import { setFlagsFromString } from 'node:v8';

/**
 * For a command that keeps much: by default as much garbage may gather beside it as is kept, and more with each collection of
 * what is new. To collect both sooner takes little time, and of a million contacts saves 75 MB.
 */
export function spareMemory(): void {
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
