/**
 * Text as the value of a mail header (RFC 2047). Anything but plain ASCII becomes encoded words. So does a text that contains
 * an encoded word already, as a mail program would decode that.
 */

/** Bytes of one encoded word, so that it fits into a line of 76 characters with the header's name. */
const bytesOfWord = 39;

/** Encodes a text of one line, if it needs it. */
export function encodedWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?')) return text;
  const words: string[] = [''];
  for (const character of text.toWellFormed()) {
    const word = `${words.at(-1) ?? ''}${character}`;
    if (Buffer.byteLength(word) <= bytesOfWord) words[words.length - 1] = word;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
