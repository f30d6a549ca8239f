/** A sample: every row equally likely, in order, and no more kept than is needed. */
import { describe, expect, test } from 'vitest';
import { Sample } from '../../../src/contacts/cut/sample.ts';
import { draw, keyBits } from '../../../src/engine/chance.ts';

function sampleOf(size: number, rows: number, seed: number): number[] {
  const bits = keyBits(seed, 'sample', 0, 0, 0);
  const sample = new Sample(size, (row) => draw(bits, 2 * row) + draw(bits, 2 * row + 1) / 2 ** 32);
  for (let row = 0; row < rows; row++) sample.add(() => String(row));
  expect(sample.rows).toBe(rows);
  return [...sample.taken()].map(Number);
}

describe('a sample', () => {
  test.each([
    [1, 1],
    [1, 10_000],
    [10, 10],
    [10, 9],
    [999, 5000],
    [5000, 5001],
  ])('of %i of %i rows has that many, each once, in order', (size, rows) => {
    const taken = sampleOf(size, rows, 1);
    expect(taken).toHaveLength(Math.min(size, rows));
    expect([...new Set(taken)].sort((one, other) => one - other)).toEqual(taken);
    expect(taken.every((row) => row >= 0 && row < rows)).toBe(true);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(sampleOf(20, 5000, 7)).toEqual(sampleOf(20, 5000, 7));
    expect(sampleOf(20, 5000, 7)).not.toEqual(sampleOf(20, 5000, 8));
  });

  /** Chi squared of 50 equally likely rows; 49 degrees of freedom exceed 94 once in 10,000 times. */
  test('takes every row equally often', () => {
    const [rows, size, rounds] = [50, 5, 20_000];
    const counts = new Array<number>(rows).fill(0);
    for (let seed = 0; seed < rounds; seed++)
      for (const row of sampleOf(size, rows, seed)) counts[row] = (counts[row] ?? 0) + 1;
    const expected = (rounds * size) / rows;
    const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0) / (1 - size / rows);
    expect(chiSquared).toBeLessThan(94);
    expect(chiSquared).toBeGreaterThan(20);
  });

  test('takes every pair of rows equally often', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 30_000; seed++) {
      const pair = sampleOf(2, 6, seed).join();
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    expect(counts.size).toBe(15);
    const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
    // 14 degrees of freedom exceed 42 once in 10,000 times.
    expect(chiSquared).toBeLessThan(42);
  });

  test('of rows that draw the same takes the first', () => {
    const sample = new Sample(3, () => 0.5);
    for (let row = 0; row < 5000; row++) sample.add(() => String(row));
    expect([...sample.taken()]).toEqual(['0', '1', '2']);
  });

  test('keeps texts of any length and script', () => {
    const texts = Array.from({ length: 3000 }, (_none, at) => 'ж😀é,'.repeat(at % 50) + at);
    const bits = keyBits(9, 'sample', 0, 0, 0);
    const sample = new Sample(1200, (row) => draw(bits, row));
    for (const text of texts) sample.add(() => text);
    const taken = new Set(sample.taken());
    expect(taken.size).toBe(1200);
    expect(texts.filter((text) => taken.has(text))).toEqual([...taken]);
  });

  test('makes the text of few rows only', () => {
    const bits = keyBits(3, 'sample', 0, 0, 0);
    const sample = new Sample(100, (row) => draw(bits, row));
    let made = 0;
    for (let row = 0; row < 1_000_000; row++) sample.add(() => `${made++}`);
    expect([...sample.taken()]).toHaveLength(100);
    expect(made).toBeLessThan(10_000);
  });
});
