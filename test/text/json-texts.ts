/** Texts of JSON for properties, as the pieces between which spaces may stand. */
import fc from '../support/properties.ts';

const between = (parts: readonly string[][]) => parts.flatMap((part, at) => (at === 0 ? part : [',', ...part]));

/** Any value of these scalars, and of objects with such names: as they are written. */
export function jsonOf(scalar: fc.Arbitrary<string>, name: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  const { value } = fc.letrec<{ value: string[] }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      scalar.map((text) => [text]),
      fc.array(tie('value'), { maxLength: 5 }).map((items) => ['[', ...between(items), ']']),
      fc
        .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 6, selector: ([text]) => JSON.parse(text) })
        .map((fields) => ['{', ...between(fields.map(([text, value]) => [text, ':', ...value])), '}']),
    ),
  }));
  return value;
}

const spaces = fc.array(fc.constantFrom('', '', '', ' ', '\n', '\t \r\n'), { minLength: 1, maxLength: 9 });

/** An object whose fields have such values: with spaces anywhere, and without any. */
export function objectsWith(value: fc.Arbitrary<string[]>): fc.Arbitrary<[loose: string, tight: string]> {
  return fc.tuple(fc.array(value, { maxLength: 4 }), spaces).map(([values, gaps]) => {
    const all = ['{', ...between(values.map((pieces, at) => [`"f${at}"`, ':', ...pieces])), '}'];
    return [all.map((piece, at) => piece + gaps[at % gaps.length]).join(''), all.join('')];
  });
}
