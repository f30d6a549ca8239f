/** What is known of audio that a service names: where it is, whether that is any, and how its file is called. */
import { createHash } from 'node:crypto';
import type { ResponseOf } from '../../contract.ts';
import { UnavailableError } from '../../errors.ts';
import { withoutControls } from '../../text/controls.ts';
import { originalOf } from '../../text/json.ts';

/** Types whose files end in the same word, and the others. */
const SAME = ['aac', 'amr', 'flac', 'm4a', 'mp3', 'ogg', 'opus', 'wav', 'webm'];
const ENDINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SAME.map((name) => [`audio/${name}`, name])),
  ...{ 'audio/mp4': 'm4a', 'audio/mpeg': 'mp3', 'audio/wave': 'wav', 'audio/x-m4a': 'm4a', 'audio/x-wav': 'wav' },
  ...{ 'video/mp4': 'mp4', 'video/webm': 'webm' },
};
const AUDIO_ENDINGS = [...new Set(Object.values(ENDINGS))];

/** `what` it should be. Throws UnavailableError. */
export function requireAudio(type: string | undefined, { host }: URL, what: string): void {
  if (type === undefined || !/^text\/|[/+](json|xml|html)$/.test(type)) return;
  throw new UnavailableError(`${host} answers with ${withoutControls(type)} in place of the ${what}.`, {
    hint: 'Its address may have expired, or need a login.',
  });
}

/** Of the file of a download: the ids of a service may be anything, and a name must stay in its folder, and be its own. */
export function audioName(id: string, type: string | undefined, url: URL): string {
  return `${nameFrom(id)}.${endingOf(type, url)}`;
}

/** The type of the reply decides, then the address, if it ends as audio does: others would name a program or a web page. */
function endingOf(type: string | undefined, { pathname }: URL): string {
  const named = pathname.slice(pathname.lastIndexOf('.') + 1).toLowerCase();
  return ENDINGS[type ?? ''] ?? AUDIO_ENDINGS.find((ending) => ending === named) ?? 'audio';
}

/** Characters: with them, and what is added while it is written, a name is short enough for every file system. */
const LONGEST_NAME = 100;

function nameFrom(id: string): string {
  const name = id.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '_');
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, LONGEST_NAME)}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}

const AUDIO = new RegExp(`^https?://[^?#]+\\.(${AUDIO_ENDINGS.join('|')})([?#]|$)`, 'i');

/** The documented field; else an address in a field that is named after a sample, or that leads to audio. */
export function previewOf(voice: ResponseOf<'getVoices'>['voices'][number]): string | undefined {
  if (typeof voice.preview_url === 'string' && voice.preview_url !== '') return voice.preview_url;
  const texts = Object.entries(originalOf(voice)).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  const named = texts.find(([name, value]) => /preview|sample/i.test(name) && /^https?:/i.test(value));
  return (named ?? texts.find(([, value]) => AUDIO.test(value)))?.[1];
}
