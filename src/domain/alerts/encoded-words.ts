/**
 * Text as the value of a mail header (RFC 2047). What is no plain ASCII becomes encoded words; so does what has an encoded
 * word in it already, which a mail program would decode: a text is always read as it is here.
 */

/** Bytes of one encoded word: with the name of the header it fits into a line of 76 characters. */
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
