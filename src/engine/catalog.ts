/** The local engine's voices. The catalogue is fixed, because the interface has no operation that changes it. */
import type { DocumentedVoice } from '../contract.ts';
import catalog from './voices.json' with { type: 'json' };

const { languages, voices } = catalog;

type Row = [language: keyof typeof languages, name: string, gender: 'female' | 'male', accent: string, style: string];

/**
 * Every voice, by voice_id ascending from 1: numbered by their position. Agents refer to a voice by its number, so new voices go
 * to the end.
 */
export const VOICES: readonly DocumentedVoice[] = (voices as Row[]).map(
  ([language, voice_name, gender, accent, style], index) => ({
    voice_id: index + 1,
    voice_name,
    language,
    language_name: languages[language],
    gender,
    accent,
    style,
    preview_url: `https://voices.example/${voice_name.toLowerCase()}.mp3`,
  }),
);
