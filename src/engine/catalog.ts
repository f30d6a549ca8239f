/** The local engine's voices. The catalogue is fixed, because the interface has no operation that changes it. */
import type { DocumentedVoice } from '../contract.ts';

const LANGUAGE_NAMES = {
  en: 'English',
  es: 'Spanish',
  hi: 'Hindi',
  fr: 'French',
  de: 'German',
  pt: 'Portuguese',
  it: 'Italian',
  ja: 'Japanese',
  ar: 'Arabic',
  zh: 'Chinese',
  ko: 'Korean',
};

type Row = readonly [
  language: keyof typeof LANGUAGE_NAMES,
  name: string,
  gender: 'female' | 'male',
  accent: string,
  style: string,
];

/** Numbered by their position. Agents refer to a voice by its number, so new voices go to the end. */
const ROWS: readonly Row[] = [
  ['en', 'Ava', 'female', 'American', 'friendly'],
  ['en', 'Noah', 'male', 'American', 'professional'],
  ['en', 'Imogen', 'female', 'British', 'professional'],
  ['en', 'Callum', 'male', 'British', 'authoritative'],
  ['en', 'Matilda', 'female', 'Australian', 'cheerful'],
  ['en', 'Arjun', 'male', 'Indian', 'calm'],
  ['es', 'Lucia', 'female', 'Castilian', 'friendly'],
  ['es', 'Alvaro', 'male', 'Castilian', 'authoritative'],
  ['es', 'Ximena', 'female', 'Mexican', 'professional'],
  ['es', 'Mateo', 'male', 'Mexican', 'calm'],
  ['hi', 'Ananya', 'female', 'Delhi', 'friendly'],
  ['hi', 'Rohan', 'male', 'Delhi', 'professional'],
  ['hi', 'Kavya', 'female', 'Mumbai', 'calm'],
  ['hi', 'Vikram', 'male', 'Lucknow', 'authoritative'],
  ['fr', 'Chloe', 'female', 'Parisian', 'professional'],
  ['fr', 'Etienne', 'male', 'Canadian', 'friendly'],
  ['de', 'Hannah', 'female', 'German', 'friendly'],
  ['de', 'Lukas', 'male', 'Austrian', 'professional'],
  ['pt', 'Beatriz', 'female', 'Brazilian', 'cheerful'],
  ['pt', 'Duarte', 'male', 'European', 'professional'],
  ['it', 'Giulia', 'female', 'Roman', 'calm'],
  ['it', 'Lorenzo', 'male', 'Milanese', 'friendly'],
  ['ja', 'Sakura', 'female', 'Tokyo', 'professional'],
  ['ja', 'Haruto', 'male', 'Kansai', 'friendly'],
  ['ar', 'Layla', 'female', 'Egyptian', 'friendly'],
  ['ar', 'Omar', 'male', 'Gulf', 'authoritative'],
  ['zh', 'Meilin', 'female', 'Beijing', 'calm'],
  ['zh', 'Haoran', 'male', 'Taiwanese', 'professional'],
  ['ko', 'Jiwoo', 'female', 'Seoul', 'cheerful'],
  ['ko', 'Minjun', 'male', 'Busan', 'calm'],
];

/** Every voice, by voice_id ascending from 1. */
export const VOICES: readonly DocumentedVoice[] = ROWS.map(([language, name, gender, accent, style], index) => ({
  voice_id: index + 1,
  voice_name: name,
  language,
  language_name: LANGUAGE_NAMES[language],
  gender,
  accent,
  style,
  preview_url: `https://voices.example/${name.toLowerCase()}.mp3`,
}));
