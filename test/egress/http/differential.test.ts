/**
 * Our reader of answers beside Node's: where both accept an answer they find the same in it, what only ours accepts is a known
 * tolerance, and only what both read in the same way leaves its connection open.
 *
 *   JOBD_TEST_ANSWERS=1000000   how many answers (default: 10,000)
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rollDice } from '../../support/dice.ts';
import { randomAnswer, randomPieces } from './answers.ts';
import { readByLlhttp, type Verdict } from './llhttp.ts';
import { readByUs, type OurVerdict } from './ours.ts';

const answers = Number(process.env['JOBD_TEST_ANSWERS'] || 10_000);

/** What Node's parser refuses in answers that ours accepts, as its codes. */
const tolerated = new Set([
  'HPE_CR_EXPECTED', // bare line feeds
  'HPE_LF_EXPECTED',
  'HPE_STRICT',
  'HPE_INVALID_HEADER_TOKEN', // blanks before a colon, odd names, folded lines
  'HPE_INVALID_CONTENT_LENGTH', // equal lengths in a list, a length beside chunks
  'HPE_UNEXPECTED_CONTENT_LENGTH', // equal lengths in two headers
  'HPE_INVALID_TRANSFER_ENCODING', // chunks beside a length, an empty coding
  'HPE_INVALID_CHUNK_SIZE', // blanks after it
  'HPE_INVALID_CONSTANT', // ICY
  'HPE_INVALID_STATUS', // nothing between status and reason
  'HPE_INVALID_VERSION', // HTTP/1.2
]);

/** What ours refuses in answers that Node's parser accepts. */
const refused: readonly RegExp[] = [
  /^the answer is not valid HTTP\/1\.1$/, // HTTP/2.0
  /control character$/, // in the reason phrase
  /switched protocols/,
];

/** A list of codings that ends with nothing, or with the coding that changes nothing: chunks for us, not for Node's parser. */
const endsWithNothing = /chunked\s*,\s*(?:identity)?\s*(?:,|$)/i;

/** What is wrong with a pair of verdicts; null if nothing is. */
function difference(ours: OurVerdict, theirs: Verdict, method: string): string | null {
  // Node's parser does not know yet that there is no body when it says whether the connection stays open.
  const persists = theirs.persists || method === 'HEAD';
  if (ours.mayPersist && (theirs.error !== null || !theirs.isComplete || !persists)) {
    return `the connection may be used again, but ${JSON.stringify(theirs)}`;
  }
  const codings = theirs.headers.filter(([name]) => name === 'transfer-encoding');
  if (endsWithNothing.test(codings.map(([, value]) => value).join(','))) return null;
  if (ours.error !== null) {
    const isKnown = theirs.error !== null || refused.some((one) => one.test(ours.error ?? ''));
    return isKnown ? null : `refused by us: ${ours.error}`;
  }
  if (theirs.error !== null) {
    const isCut = !ours.isComplete;
    return isCut || tolerated.has(theirs.error) ? null : `accepted, though ${theirs.error}`;
  }
  const first = (name: string): string | null =>
    theirs.headers.find(([other]) => other === name)?.[1] ?? null;
  const pairs = {
    status: [ours.head?.status ?? null, theirs.status],
    body: [ours.body, theirs.body],
    isComplete: [ours.isComplete, theirs.isComplete],
    location: [ours.head?.location ?? null, first('location')],
    retryAfter: [ours.head?.retryAfter ?? null, first('retry-after')],
  };
  for (const [what, [own, other]] of Object.entries(pairs)) {
    if (own !== other) return `${what}: ${JSON.stringify(own)} and ${JSON.stringify(other)}`;
  }
  return null;
}

test('an answer means the same to us and to Node, in any pieces', (t) => {
  const random = rollDice(t);
  let both = 0;
  let onlyOurs = 0;
  let kept = 0;
  for (let index = 0; index < answers; index += 1) {
    const text = randomAnswer(random);
    const method = random() < 0.05 ? 'HEAD' : 'GET';
    const pieces = randomPieces(random, text);
    const ours = readByUs(pieces, method);
    const theirs = readByLlhttp(pieces, method === 'HEAD');
    const found = difference(ours, theirs, method);
    if (found !== null) assert.fail(`${method} ${JSON.stringify(text)}: ${found}`);
    if (ours.isComplete && theirs.error === null) both += 1;
    if (ours.isComplete && theirs.error !== null) onlyOurs += 1;
    if (ours.mayPersist) kept += 1;
  }
  t.diagnostic(
    `${answers} answers: ${both} whole for both, ${onlyOurs} for us alone, ${kept} kept`,
  );
  assert.ok(both > answers / 10 && onlyOurs > answers / 100 && kept > answers / 20);
});
