/** A number as people write it: `1,042`. */
export function figures(number: number): string {
  return number.toLocaleString('en');
}
