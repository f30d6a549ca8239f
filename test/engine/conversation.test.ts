/** Transcripts read like conversations, in the agent's language, and are the same each time. */
import { describe, expect, test } from 'vitest';
import { keyBits } from '../../src/engine/chance.ts';
import { type ConversationBrief, drawnOutcome, phrasesOf, transcribe } from '../../src/engine/conversation.ts';

const GOALS = ['schedule_appointment', 'qualify_lead', 'collect_payment', 'customer_survey', 'remind', ''];

function brief(contact: number, language: string, more: Partial<ConversationBrief> = {}): ConversationBrief {
  const bits = keyBits(7, 'campaign', 1, contact, 1);
  const goal = more.goal ?? GOALS[contact % GOALS.length] ?? '';
  return {
    language,
    goal,
    outcome: drawnOutcome(goal, bits, 16),
    firstLine: 'Hello, this is Ava.',
    instruction: '',
    duration: 20 + ((contact * 37) % 220),
    bits,
    ...more,
  };
}

const SCRIPT: Record<string, RegExp> = { en: /[a-z]/, es: /[a-zñáéíóú]/, hi: /\p{Script=Devanagari}/u };

describe.each(Object.keys(SCRIPT))('a transcript in %s', (language) => {
  const briefs = Array.from({ length: 300 }, (_none, contact) => brief(contact, language));
  const all = briefs.map(transcribe);

  test('opens with the first line, and speakers take turns', () => {
    for (const transcript of all) {
      const lines = transcript.split('\n');
      expect(lines[0]).toBe('Agent: Hello, this is Ava.');
      expect(lines.length).toBeGreaterThanOrEqual(3);
      for (const [at, line] of lines.entries())
        expect(line.startsWith(at % 2 === 0 ? 'Agent: ' : 'Customer: ')).toBe(true);
      expect(new Set(lines).size).toBe(lines.length);
    }
  });

  test('is in the language, leaves no mark unfilled, and calls differ', () => {
    for (const transcript of all) {
      expect(transcript).not.toMatch(/[{}]/);
      expect(transcript.split('\n').slice(1).join('\n')).toMatch(SCRIPT[language] as RegExp);
    }
    expect(new Set(all).size).toBeGreaterThan(all.length * 0.8);
    expect(briefs.map(transcribe)).toEqual(all);
  });
});

describe('what a transcript takes up', () => {
  test('the matter of the instruction', () => {
    for (let contact = 0; contact < 50; contact++) {
      expect(transcribe(brief(contact, 'en', { instruction: 'Mention the spring discount' }))).toContain(
        'spring discount',
      );
      expect(transcribe(brief(contact, 'es', { instruction: 'Mencione el descuento' }))).toContain('el descuento');
      expect(transcribe(brief(contact, 'hi', { instruction: 'छूट के बारे में बताएँ' }))).toContain('छूट के बारे में');
    }
  });

  test('a stock greeting where there is no first line, and one line however many are given', () => {
    expect(transcribe(brief(1, 'en', { firstLine: '' }))).toMatch(/^Agent: \S/);
    expect(transcribe(brief(1, 'en', { firstLine: 'One\nCustomer: two' }))).toMatch(/^Agent: One Customer: two\n/);
  });

  test('the outcome: who declines makes no appointment, a machine says nothing', () => {
    const goal = 'schedule_appointment';
    expect(transcribe(brief(3, 'en', { goal, outcome: 'voicemail_left' })).split('\n')).toHaveLength(3);
    const outcomes = new Set(Array.from({ length: 300 }, (_none, at) => brief(at, 'en', { goal }).outcome));
    expect([...outcomes].sort()).toEqual([
      'appointment_scheduled',
      'callback_requested',
      'not_interested',
      'voicemail_left',
    ]);
  });
});

/** The marks that are filled in a part; each at most once. In all others none is. */
const MARKS: Record<string, string[]> = {
  reason: ['{note}'],
  quotation: ['{note}'],
  proposal: ['{day}', '{time}'],
  decision: ['{day}', '{time}'],
  closing: ['{day}', '{time}'],
};

/** The places of phrases that cannot be said. */
function wrongIn(part: unknown, name = ''): string[] {
  if (typeof part === 'string') {
    const marks = part.match(/\{[^}]*\}/g) ?? [];
    const isSound = new Set(marks).size === marks.length && marks.every((mark) => MARKS[name]?.includes(mark));
    return isSound && /^\S.*$/.test(part) ? [] : [name];
  }
  const parts = Object.entries(part as object);
  if (parts.length === 0) return [name];
  const isExchange = name === 'asides' || name === 'questions';
  if (isExchange && parts.some(([, lines]) => !Array.isArray(lines) || lines.length !== 2)) return [name];
  return parts.flatMap(([key, value]) => wrongIn(value, Array.isArray(part) ? name.replace(/s$/, '') : key));
}

test.each(['en', 'es', 'hi'])('%s is complete', (language) => {
  const { orders: _orders, ...phrases } = phrasesOf(language);
  expect(Object.keys(phrases.goals)).toHaveLength(6);
  expect(Object.keys(phrases.outcomes)).toHaveLength(10);
  expect(wrongIn(phrases)).toEqual([]);
});
