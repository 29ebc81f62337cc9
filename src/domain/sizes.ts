/** A size in the unit that fits: `512 bytes`, `4.2 MiB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(power < 2 ? 0 : 1))} ${units[power]}`;
}

/** Bytes of each unit: `k` and `KiB` are 1,024 bytes, `kB` is 1,000. */
const powers = ['k', 'm', 'g', 't'];

/** The bytes of a size such as `512MiB`, `20G` or `20 GB`; null for other text. */
export function parseSize(text: string): number | null {
  const [, number, letter = '', ending = ''] =
    /^(\d{1,15}(?:\.\d{1,3})?) ?(?:([kmgt])(i?b)?|bytes)?$/i.exec(text) ?? [];
  if (number === undefined) return null;
  const base = ending.toLowerCase() === 'b' ? 1_000 : 1_024;
  const bytes = Math.round(Number(number) * base ** (powers.indexOf(letter.toLowerCase()) + 1));
  return Number.isSafeInteger(bytes) ? bytes : null;
}
