/**
 * The system's files, of which any one call can be made to fail, and a record of what a power cut would leave of them on
 * the disk. Every call but fsync is really made, so that locks, flags and errors are the system's own.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { initialState } from '../../src/engine/state.ts';
import { JsonStore } from '../../src/local/json/json-store.ts';
import { engineOver as engineOf, type LocalEngine } from '../../src/local/open.ts';
import { type FileSystem, systemFiles } from '../../src/storage/files/file-system.ts';
import { EPOCH } from './engine.ts';

/** Of calls that one file of the log holds, where a test wants several files. */
export const SEGMENT = 200;

/** The local engine over files of the test's choice, its clock standing still: each is like a process of its own. */
export function engineOver(fs: FileSystem, folder: string, segmentEntries?: number): LocalEngine {
  const initial = () => initialState({ seed: 1, now: EPOCH, empty: false });
  const organizations = new JsonStore({
    fs,
    folder,
    initial,
    timeoutMs: 1000,
    command: 'test',
    segmentEntries,
  });
  return engineOf(organizations, { systemNow: () => EPOCH, signal: new AbortController().signal });
}

/** The system's files without the waiting for the disk: no process can see the difference, only a power cut could. */
export const hastyFiles: FileSystem = { ...systemFiles, fsyncSync: () => {} };

/**
 * What can happen at a call: a short write writes half and says so, a lying one says that it wrote all (full disks of some
 * network file systems do); a power cut leaves half a write behind, and nothing happens after it.
 */
export const FAULTS = ['EIO', 'ENOSPC', 'short write', 'lying write', 'power cut'] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  kind: FaultKind;
  /** The number of the call that it strikes, from 1. */
  at: number;
}

type Name = keyof FileSystem;
type Perform = (...args: unknown[]) => unknown;

export class FaultyFiles {
  readonly files: FileSystem;
  /** Every call so far, by its name and file: `writeSync store.json.new`. */
  readonly calls: string[] = [];
  /** What went wrong with descriptors: closed twice, or used after the closing. */
  readonly misused: string[] = [];
  /** Asked before each call, the first is number 1. */
  beforeCall: () => void = () => {};
  /** What would be on the disk, if somebody asked for it to be recorded. */
  disk: Disk | undefined;
  fault: Fault | undefined;
  readonly #folder: string;
  readonly #open = new Map<number, string>();
  #isOff = false;

  /** Paths in `calls` are told as seen from `folder`. */
  constructor(folder: string) {
    this.#folder = folder;
    const names = Object.keys(systemFiles) as Name[];
    const calls = names.map((name) => [name, (...args: unknown[]) => this.#call(name, args)]);
    this.files = Object.fromEntries(calls);
  }

  /** Files that were opened and not closed. */
  get left(): string[] {
    return [...this.#open.values()];
  }

  /** The process is gone, and the system closes what it had open. */
  die(): void {
    for (const fd of this.#open.keys()) systemFiles.closeSync(fd);
    this.#open.clear();
  }

  #call(name: Name, args: unknown[]): unknown {
    if (this.#isOff) throw systemError('EIO', name);
    this.beforeCall();
    const target = typeof args[0] === 'number' ? (this.#open.get(args[0]) ?? 'a closed file') : String(args[0]);
    const number = this.calls.push(`${name} ${this.#nameOf(target)}`);
    const kind = this.fault?.at === number ? this.fault.kind : undefined;
    if (kind === undefined) return this.#perform(name, args, target);

    if (name === 'writeSync' && kind !== 'EIO' && kind !== 'ENOSPC') {
      const written = this.#perform(name, halved(args), target);
      if (kind === 'short write') return written;
      if (kind === 'lying write') return args[3];
    }
    // A descriptor is gone however the closing of it ends.
    if (kind !== 'power cut' && name === 'closeSync') this.#perform(name, args, target);
    this.#isOff = kind === 'power cut';
    throw systemError(kind === 'ENOSPC' ? 'ENOSPC' : 'EIO', name);
  }

  /** Nearly all paths are below the folder: those cost nothing. */
  #nameOf(path: string): string {
    if (path.startsWith(`${this.#folder}/`)) return path.slice(this.#folder.length + 1);
    return relative(this.#folder, path) || '.';
  }

  #perform(name: Name, args: unknown[], target: string): unknown {
    if (typeof args[0] === 'number' && !this.#open.has(args[0])) {
      this.misused.push(`${name} of a closed descriptor`);
      throw systemError('EBADF', name);
    }
    const result = (hastyFiles[name] as Perform)(...args);
    if (name === 'openSync') this.#open.set(result as number, target);
    if (name === 'closeSync') this.#open.delete(args[0] as number);
    this.disk?.record(name, args, target, result);
    return result;
  }
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: made to fail, ${syscall}`), { code, syscall });
}

/** The arguments of a write of half as many bytes. */
function halved([fd, bytes, offset, length, position]: unknown[]): unknown[] {
  return [fd, bytes, offset, Math.max(1, (length as number) >> 1), position];
}

interface FileNode {
  now: Buffer;
  /** The content at its last fsync. */
  synced: Buffer;
}

interface FolderNode {
  now: Map<string, Node>;
  /** The names at the folder's last fsync. */
  synced: Map<string, Node>;
  /** What was renamed since then: a system may write that down before anything else. */
  renamed: Map<string, Node>;
}

type Node = FileNode | FolderNode;

/** What a system may have kept, at a power cut, of what nobody had synced. */
export interface Kept {
  names: 'all' | 'none' | 'the renamed';
  /** Of the half that is not kept there are zeros. */
  bytes: 'all' | 'none' | 'half';
}

/**
 * What a program must be ready for; what was synced is there in all of them. Names reach the disk in any order: journals keep
 * theirs, but ext2, FAT and the standard promise nothing before the folder is synced.
 */
export const KEPT: Kept[] = [
  { names: 'all', bytes: 'none' },
  { names: 'all', bytes: 'half' },
  { names: 'none', bytes: 'none' },
  { names: 'none', bytes: 'all' },
  { names: 'the renamed', bytes: 'all' },
];

/** Paths below a folder, each with its content; folders come before what they hold, and have none. */
export type Image = Map<string, Buffer | undefined>;

/** The files below one folder, as they are and as they were when each was last synced. */
export class Disk {
  readonly #folder: string;
  readonly #root: FolderNode;
  readonly #open = new Map<number, Node>();

  /** Takes what is in `folder` for safe on the disk: `image`, or what is read there. */
  constructor(folder: string, image: Image = imageIn(folder)) {
    this.#folder = folder;
    this.#root = nodesOf(image);
  }

  record(name: Name, args: unknown[], path: string, result: unknown): void {
    const fd = args[0] as number;
    const node = this.#open.get(fd);
    switch (name) {
      case 'openSync':
        this.#open.set(result as number, this.#opened(path));
        break;
      case 'closeSync':
        this.#open.delete(fd);
        break;
      case 'mkdirSync':
        this.#folderAt(path);
        break;
      case 'writeSync': {
        const [, bytes, offset, , position] = args as [number, Uint8Array, number, number, number | null];
        const file = node as FileNode;
        file.now = patched(file.now, bytes.subarray(offset, offset + (result as number)), position ?? file.now.length);
        break;
      }
      case 'ftruncateSync':
        (node as FileNode).now = (node as FileNode).now.subarray(0, args[1] as number);
        break;
      case 'fsyncSync':
        sync(node as Node);
        break;
      case 'renameSync': {
        const target = this.#folderAt(dirname(String(args[1])));
        const moved = this.#take(path) as Node;
        target.now.set(nameOf(String(args[1])), moved);
        target.renamed.set(nameOf(String(args[1])), moved);
        break;
      }
      case 'rmSync':
        this.#take(path);
        break;
    }
  }

  /** What would be found after the power came back: every path with its content, a folder with none. */
  image(kept: Kept): Image {
    return new Map(imageOf('', this.#root, kept));
  }

  #opened(path: string): Node {
    const folder = this.#folderAt(dirname(path));
    const known = path === this.#folder ? this.#root : folder.now.get(nameOf(path));
    if (known !== undefined) return known;
    const made: FileNode = { now: Buffer.alloc(0), synced: Buffer.alloc(0) };
    folder.now.set(nameOf(path), made);
    return made;
  }

  #folderAt(path: string): FolderNode {
    let folder = this.#root;
    for (const name of relative(this.#folder, path).split('/')) {
      if (name === '' || name === '..') continue;
      const known = folder.now.get(name) ?? { now: new Map(), synced: new Map(), renamed: new Map() };
      folder.now.set(name, known);
      folder = known as FolderNode;
    }
    return folder;
  }

  #take(path: string): Node | undefined {
    const folder = this.#folderAt(dirname(path));
    const node = folder.now.get(nameOf(path));
    folder.now.delete(nameOf(path));
    return node;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function patched(content: Buffer, bytes: Uint8Array, position: number): Buffer {
  return Buffer.concat([content.subarray(0, position), bytes, content.subarray(position + bytes.length)]);
}

function sync(node: Node): void {
  if (node.now instanceof Map) {
    const folder = node as FolderNode;
    folder.synced = new Map(folder.now);
    folder.renamed.clear();
  } else {
    (node as FileNode).synced = node.now;
  }
}

/** What is below a folder now. */
export function imageIn(folder: string): Image {
  const image: Image = new Map([['', undefined]]);
  const add = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const below = join(path, entry.name);
      image.set(below, entry.isDirectory() ? undefined : readFileSync(join(folder, below)));
      if (entry.isDirectory()) add(below);
    }
  };
  add('');
  return image;
}

function nodesOf(image: Image): FolderNode {
  const root: FolderNode = { now: new Map(), synced: new Map(), renamed: new Map() };
  const folders = new Map([['', root]]);
  for (const [path, content] of image) {
    if (path === '') continue;
    const folder = folders.get(path.slice(0, Math.max(0, path.lastIndexOf('/')))) as FolderNode;
    const node: Node =
      content === undefined
        ? { now: new Map(), synced: new Map(), renamed: new Map() }
        : { now: content, synced: content };
    folder.now.set(nameOf(path), node);
    folder.synced.set(nameOf(path), node);
    if (content === undefined) folders.set(path, node as FolderNode);
  }
  return root;
}

function* imageOf(path: string, node: Node, kept: Kept): Generator<[string, Buffer | undefined]> {
  if (!(node.now instanceof Map)) return yield [path, keptBytes(node as FileNode, kept)];
  yield [path, undefined];
  for (const [name, child] of keptNames(node as FolderNode, kept)) yield* imageOf(join(path, name), child, kept);
}

/** The same for images that hold the same. */
export function digestOf(image: Image): string {
  const hash = createHash('sha256');
  const inOrder = [...image].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [path, content] of inOrder) hash.update(`${path} ${content?.length}\n`).update(content ?? '');
  return hash.digest('hex');
}

/** Makes a folder what an image says. */
export function writeImage(folder: string, image: Image): void {
  for (const [path, content] of image) {
    if (content === undefined) mkdirSync(join(folder, path), { recursive: true });
    else writeFileSync(join(folder, path), content);
  }
}

function keptBytes({ now, synced }: FileNode, { bytes }: Kept): Buffer {
  if (bytes === 'all') return now;
  if (bytes === 'none' || now.equals(synced)) return synced;
  const half = Buffer.alloc(now.length);
  now.copy(half, 0, 0, synced.length + ((now.length - synced.length) >> 1));
  return half;
}

function keptNames({ now, synced, renamed }: FolderNode, { names }: Kept): Map<string, Node> {
  if (names === 'all') return now;
  return names === 'none' ? synced : new Map([...synced, ...renamed]);
}
