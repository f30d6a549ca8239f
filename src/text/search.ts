/** Finding a place in what is sorted, in as many steps as its length has binary digits. */

/** The first place from 0 on where something is so, as it is at all later ones; `length` if it is so nowhere before. */
export function firstPlace(length: number, isSo: (place: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isSo(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The first place of a value in rising numbers; -1 if it is not there. */
export function placeIn(numbers: ArrayLike<number>, value: number): number {
  const place = firstPlace(numbers.length, (at) => (numbers[at] as number) >= value);
  return numbers[place] === value ? place : -1;
}
