/** Which of two versions is older, by the rules of semantic versions: https://semver.org/#spec-item-11 */

/** Whether version `one` comes before `other`. Versions that cannot be compared count as no older. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left === null || right === null) return false;
  const byNumbers = compareLists(left.numbers, right.numbers);
  if (byNumbers !== 0) return byNumbers < 0;
  if (left.before.length === 0 || right.before.length === 0) {
    return left.before.length > right.before.length;
  }
  return compareLists(left.before, right.before) < 0;
}

interface Parts {
  numbers: readonly string[];
  /** What comes before the release of these numbers, as `rc` and `1`; empty for the release. */
  before: readonly string[];
}

function partsOf(version: string): Parts | null {
  const [, numbers, before] =
    /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(version) ?? [];
  if (numbers === undefined) return null;
  return { numbers: numbers.split('.'), before: before?.split('.') ?? [] };
}

/** A shorter list comes first if it is the beginning of the other. */
function compareLists(left: readonly string[], right: readonly string[]): number {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareWords(one, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers come before words. */
function compareWords(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  const [left, right] = isNumber ? [BigInt(one), BigInt(other)] : [one, other];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
