/** How much work a JSON text is, apart from its length: 1 MiB of brackets takes a hundred times as long as 1 MiB of text. */

/** No body that jobd takes has more than six. */
const mostLevels = 32;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * How many values a text has, or why it is not to be parsed, as a clause. Reads its bytes once, and stops at the first one too many.
 * Says nothing of whether it is JSON.
 */
export function valuesIn(bytes: Uint8Array, mostValues: number): number | string {
  let levels = 0;
  let values = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) isInText = !isInText;
    else if (isInText) at += byte === backslash ? 1 : 0;
    else if (byte === comma) values += 1;
    else if (byte === closeList || byte === closeObject) levels -= 1;
    else if (byte === openList || byte === openObject) {
      levels += 1;
      values += 1;
    }
    if (levels > mostLevels) return `must not have more than ${mostLevels} levels`;
    if (values > mostValues) return `must not have more than ${mostValues} values`;
  }
  return values;
}
