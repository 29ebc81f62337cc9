/** Sizes in words. */

/** A size in the unit that fits: `512 bytes`, `4.2 MiB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(power < 2 ? 0 : 1))} ${units[power]}`;
}
