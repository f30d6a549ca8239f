/** What is told of texts and numbers that can be sent, but hardly are what was meant. */

import { getCountries, Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { readE164 } from '../../../src/contacts/numbers/dialled.ts';
import { isPremium } from '../../../src/contacts/numbers/numbering-plans.ts';
import type { ContactsReport } from '../../../src/contacts/report/report.ts';
import { placeholderIn, wordsBeyondLimit } from '../../../src/contacts/rows/spoken.ts';
import { howMany } from '../../support/full-matrix.ts';
import { Operator } from '../../support/program.ts';
import fc from '../../support/properties.ts';

const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });

async function check(input: string, ...flags: string[]): Promise<ContactsReport> {
  const { code, stdout } = await operator.run(['contacts', 'check', '-', '--json', ...flags], { input });
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe('a text with something left in it that was to be filled in', () => {
  test.each([
    ['Hello {{name}}, this is Ava.', '{{name}}'],
    ['Hello {{ first name | there }}', '{{ first name | there }}'],
    ['Hello {{}}', '{{}}'],
    ['Hello {Name}!', '{Name}'],
    ['Hello { first_name }', '{ first_name }'],
    ['Bonjour {Prénom}', '{Prénom}'],
    ['您好{姓名}', '{姓名}'],
    ['नमस्ते {नाम}', '{नाम}'],
    [['Hello $', '{firstName}'].join(''), '{firstName}'],
    ['Hello {0}', '{0}'],
    ['Hello {{name', '{{'],
  ])('%s: %s', (text, placeholder) => {
    expect(placeholderIn(text)).toBe(placeholder);
  });

  test.each([
    'Hello Ann.',
    'Say {"a": 1}',
    '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}',
    'a set {1, 2, 3}',
    ':-}',
    '{',
    '[Name]',
  ])('is not %s', (text) => {
    expect(placeholderIn(text)).toBeUndefined();
  });

  test('is a warning, from a column or a template, with its line and where it comes from', async () => {
    const table =
      'phone,First line,custom_instruction,who\n+14155550101,Hello {{who}}.,Be {tone}.,{who}\n+14155550102,Hi.,,Bob\n';
    const { warnings, warning_counts, accepted } = await check(table, '--identifier', '{{who}}');
    expect(accepted).toBe(2);
    expect(warning_counts).toEqual({ unfilled_placeholder: 3 });
    expect(warnings.map(({ line, column, message }) => [line, column, message])).toEqual([
      [2, 'First line', '{{who}} was left in the text'],
      [2, 'custom_instruction', '{tone} was left in the text'],
      [2, '--identifier', '{who} was left in the text'],
    ]);
    const { warning_counts: all } = await check(table.replace('First line', 'x'), '--first-line', 'Hello {who}');
    expect(all).toEqual({ unfilled_placeholder: 3 });
  });

  test('is a warning of campaign create and of call as well', async () => {
    const create = ['campaign', 'create', '--name', 'x', '--agent', '1', '--from', '+14155550100', '--contacts', '-'];
    const input = 'phone,first_line\n+14155550101,Hello {Name}.\n';
    const created = await operator.run([...create, '--dry-run'], { input });
    expect(created.code).toBe(0);
    expect(created.stderr).toContain('line 2: {Name} was left in the text');
    const call = ['call', '+14155550101', '--agent', '1', '--from', '+14155550100', '--dry-run'];
    const called = await operator.run([...call, '--first-line', 'Hello {{name}}.', '--instruction', 'Ask {Name}.']);
    expect(called.code).toBe(0);
    expect(called.stderr).toContain('--first-line: {{name}} was left in the text');
    expect(called.stderr).toContain('--instruction: {Name} was left in the text');
  });
});

describe('a first line of more than 50 words', () => {
  const sentences: Record<string, string> = {
    Chinese: '您好，我是港口诊所的艾娃，想提醒您下周二上午十点有年度体检预约，请问您方便来吗？',
    Japanese: 'こんにちは、ハーバークリニックのエイヴァです。来週火曜日の午前十時に健康診断のご予約がございます。',
    Thai: 'สวัสดีค่ะ ดิฉันเอวาจากคลินิกฮาร์เบอร์ ขอแจ้งเตือนเรื่องนัดตรวจสุขภาพประจำปีของคุณในวันอังคารหน้า',
    Khmer: 'សួស្តីខ្ញុំមកពីគ្លីនិកហើយចង់រំលឹកអ្នកអំពីការណាត់ជួបពិនិត្យសុខភាពប្រចាំឆ្នាំ',
    Korean: '안녕하세요, 하버 클리닉의 에이바입니다. 다음 주 화요일 오전 열 시에 건강 검진 예약이 있습니다.',
    English: 'Hello, this is Ava from the Harbour Clinic, and I call to remind you of your check-up on Tuesday.',
  };

  test.each(Object.entries(sentences))('in %s is told, and one sentence is not', (_language, sentence) => {
    expect(wordsBeyondLimit(sentence)).toBe(0);
    expect(wordsBeyondLimit(`${sentence} `.repeat(6))).toBeGreaterThan(50);
  });

  test('is counted to the word where words stand apart, and never where there are no more characters', () => {
    for (const word of ['a', 'hello', '안녕', 'γεια', 'नमस्ते', '👋']) {
      expect(wordsBeyondLimit(Array<string>(50).fill(word).join(' '))).toBe(0);
      expect(wordsBeyondLimit(Array<string>(51).fill(word).join(' \n'))).toBe(51);
    }
    expect(wordsBeyondLimit('您'.repeat(50))).toBe(0);
  });

  test('is a warning, in a file and of a call', async () => {
    const text = (sentences.Chinese as string).repeat(3);
    const { warnings } = await check(`phone,first_line\n+14155550101,${text}\n`);
    expect(warnings).toMatchObject([{ line: 2, column: 'first_line', code: 'long_first_line' }]);
    const call = ['call', '+14155550101', '--agent', '1', '--from', '+14155550100', '--dry-run', '--first-line', text];
    expect((await operator.run(call)).stderr).toMatch(/the first line has \d\d words/);
  });
});

describe('a premium-rate number', () => {
  const judge = (number: string) =>
    parsePhoneNumberFromString(number, { extract: false })?.getType() === 'PREMIUM_RATE';

  test('is a warning, and is called all the same', async () => {
    const { warnings, accepted, warning_counts } = await check(
      'phone\n+19002345678\n+449012345678\n+14155550101\n+33 899 12 34 56\n+979123456789\n',
    );
    expect(accepted).toBe(5);
    expect(warning_counts).toMatchObject({ premium_number: 4 });
    expect(warnings.find(({ code }) => code === 'premium_number')).toMatchObject({
      line: 2,
      column: 'phone',
      message: expect.stringContaining('premium-rate'),
    });
  });

  test('is warned of before a real service calls it', async () => {
    const env = { VAGENT_BASE_URL: 'http://127.0.0.1:9', VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'k' };
    const call = ['--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--dry-run'];
    const { code, stderr } = await new Operator().run(['call', '+449012345678', ...call], { env });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('is a premium-rate number') });
  });

  /** Numbers of every country that its plan calls premium-rate, by a random walk through its pattern. */
  const patterns = getCountries().flatMap((country) => {
    const metadata = new Metadata();
    metadata.selectNumberingPlan(country);
    const { numberingPlan } = metadata as unknown as {
      numberingPlan: { callingCode(): string; type(name: string): { pattern(): string } | undefined };
    };
    const pattern = numberingPlan.type('PREMIUM_RATE')?.pattern();
    return pattern ? [{ code: numberingPlan.callingCode(), pattern }] : [];
  });

  test('is what the library says it is, near the plans of all countries', () => {
    expect(patterns.length).toBeGreaterThan(100);
    const near = fc
      .constantFrom(...patterns)
      .chain(({ code, pattern }) =>
        fc.stringMatching(new RegExp(`^(?:${pattern})$`)).map((digits) => `+${code}${digits}`),
      );
    const anyOther = fc
      .tuple(fc.constantFrom(...patterns), fc.integer({ min: 100_000, max: 999_999_999 }))
      .map(([{ code }, digits]) => `+${code}${digits}`);
    fc.assert(
      fc.property(fc.oneof(near, anyOther), (number) => {
        // "+370 8 909…" is refused before anybody asks: the library drops the 8 and judges another number.
        fc.pre(!('code' in readE164(number)));
        expect([number, isPremium(number)]).toEqual([number, judge(number)]);
      }),
      { numRuns: howMany(1000, 4000) },
    );
  });
});
