/** Every way to attack a receipt or its key. */

import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { keyDocument } from '../../../src/receipt/key.ts';
import {
  answeredRun,
  attackerKey,
  fileOf,
  malleated,
  payloadOf,
  receiptOf,
  signed,
  signingKey,
} from '../records/receipts.ts';

/** A receipt and a key as files, and the name of the case. */
export interface Case {
  name: string;
  receipt: Uint8Array;
  key: Uint8Array;
}

/**
 * Its signature has a digit that base64 writes differently; one in fifteen has none, and would be
 * valid base64.
 */
export const receipt = receiptWithDigits(/[-_]/);
export const key = fileOf(keyDocument(signingKey));
const receiptFile = fileOf(receipt);

/** The receipt as made, and other files with the same data: all valid. */
export function soundCases(): Case[] {
  const text = JSON.stringify(receipt);
  const { signature, payload, publicKey, keyId, algorithm } = receipt;
  const turned = { signature, payload, publicKey, keyId, algorithm };
  const files: [name: string, file: Uint8Array][] = [
    ['as it was made', receiptFile],
    ['without white space', Buffer.from(text)],
    ['of a run that stands for another time', fileOf(receiptOf({ dueAt: 0 }))],
    ['in another order', fileOf(turned)],
    ['with line ends of Windows', Buffer.from(receiptFile.toString().replaceAll('\n', '\r\n'))],
    ['with escapes', Buffer.from(text.replace('"success"', String.raw`"\u0073ucc\u0065ss"`))],
    ['with escapes in a name', Buffer.from(text.replace('"status"', String.raw`"stat\u0075s"`))],
  ];
  return files.map(([name, file]) => ({ name, receipt: file, key }));
}

/** A file of the receipt with each of its bits flipped, one at a time. */
export function bitFlips(file = receiptFile): Case[] {
  return Array.from({ length: file.length * 8 }, (_, bit) => {
    const flipped = Uint8Array.from(file);
    const at = bit >> 3;
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit & 7));
    return { name: `bit ${bit & 7} of byte ${at}`, receipt: flipped, key };
  });
}

function receiptWithDigits(pattern: RegExp): ReturnType<typeof receiptOf> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = receiptOf();
    if (pattern.test(found.signature)) return found;
  }
  throw new Error('no signature has such a digit');
}

/**
 * Every field changed, removed, repeated, or of another type; unusual numbers, encodings, keys,
 * signatures.
 */
export function edits(): Case[] {
  const cases: Case[] = [];
  const text = JSON.stringify(receipt);
  const add = (name: string, file: unknown): void => {
    const isText = typeof file === 'string' || file instanceof Uint8Array;
    cases.push({ name, receipt: isText ? Buffer.from(file) : fileOf(file), key });
  };
  const replace = (name: string, from: string, to: string): void => {
    if (!text.includes(from)) throw new Error(`${from} is not in the receipt`);
    add(name, text.replace(from, to));
  };
  const { payload } = receipt;

  for (const [name, value] of Object.entries(receipt)) {
    if (name === 'payload') continue;
    add(`${name} is another`, { ...receipt, [name]: `${value as string}A` });
  }
  for (const [name, value] of Object.entries(payload)) {
    add(`payload.${name} is another`, edited({ [name]: another(name, value) }));
  }
  for (const values of [[null], [0, -1, 1.5], ['', ' '], [true, false], [[], {}]]) {
    for (const value of values) {
      for (const name of Object.keys(payload)) {
        if (value === payload[name as keyof typeof payload]) continue;
        add(`payload.${name} is ${JSON.stringify(value)}`, edited({ [name]: value }));
      }
      for (const name of Object.keys(receipt)) {
        add(`${name} is ${JSON.stringify(value)}`, { ...receipt, [name]: value });
      }
    }
  }
  for (const name of Object.keys(receipt)) {
    add(`no ${name}`, without(receipt, name));
    const member = `${JSON.stringify(name)}:${JSON.stringify(receipt[name as keyof Receipt])}`;
    add(`${name} twice, the same`, `{${member},${text.slice(1)}`);
    add(`${name} twice, with null`, `{${JSON.stringify(name)}:null,${text.slice(1)}`);
  }
  for (const [name, value] of Object.entries(payload)) {
    add(`no payload.${name}`, { ...receipt, payload: without(payload, name) });
    const member = `"payload":{${JSON.stringify(name)}:${JSON.stringify(value)},`;
    replace(`payload.${name} twice`, '"payload":{', member);
  }
  for (const name of ['extra', '__proto__', 'constructor', 'toString', '', 'Status', 'payload ']) {
    const member = `${JSON.stringify(name)}:{"status":"failed"},`;
    add(`a member ${name}`, `{${member}${text.slice(1)}`);
    replace(`a member ${name} of the payload`, '"payload":{', `"payload":{${member}`);
  }
  replace('a name twice, once escaped', '"status":', String.raw`"stat\u0075s":"failed","status":`);
  for (const number of ['2e2', '200.0', '2E+2', '0200', '+200', '0xc8', '200.00000000000001']) {
    replace(`the status is ${number}`, '"httpStatus":200', `"httpStatus":${number}`);
  }
  replace('minus zero', '"responseBytes":11', '"responseBytes":-0');
  replace('a number too large', '"attempts":1', '"attempts":9007199254740993');
  replace('half a surrogate pair', 'jobs.example.com', String.raw`jobs.example.com/\ud800`);
  replace('letters that look alike', 'jobs.example.com', 'jobs.еxample.com');
  replace('a character in two parts', 'jobs.example.com', 'jobs.example.com/e\u0301');
  replace('controls for a terminal', 'jobs.example.com', String.raw`jobs.example.com\u001b[2J`);
  replace('a day that does not exist', '2025-10-09T05:30:00.000Z', '2025-02-30T05:30:00.000Z');
  replace('a newer version', '"version":1', '"version":2');
  replace(
    'letters of another case',
    `"runId":"${payload.runId}`,
    `"runId":"${payload.runId.toUpperCase()}`,
  );

  const { signature, keyId, publicKey = '' } = receipt;
  const bytes = Buffer.from(signature, 'base64url');
  const signatures: [name: string, signature: string][] = [
    ['padded', `${signature}==`],
    ['in base64', bytes.toString('base64').replace(/=+$/, '')],
    ['in padded base64', bytes.toString('base64')],
    ['in hexadecimal', bytes.toString('hex')],
    ['with bits behind its end', signature.slice(0, -1) + nextCharacter(signature.at(-1) ?? '')],
    ['with a line end', `${signature}\n`],
    ['one byte short', bytes.subarray(0, 63).toString('base64url')],
    ['one byte long', Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64url')],
    ['with S + L', malleated(signature)],
    ['of zeros', Buffer.alloc(64).toString('base64url')],
    ['empty', ''],
    ['of another run', receiptOf().signature],
  ];
  for (const [name, other] of signatures) {
    add(`a signature ${name}`, { ...receipt, signature: other });
  }
  for (const other of ['none', 'EdDSA', 'ed25519', 'HS256', 'Ed448', 'Ed25519ph']) {
    add(`algorithm ${other}`, { ...receipt, algorithm: other });
  }

  const run = answeredRun();
  const forged = signed(payloadOf(run), attackerKey);
  add('signed by the attacker', forged);
  add('signed by the attacker, in the name of the key', { ...forged, keyId, publicKey });
  const borrowed = { ...attackerKey, keyId };
  add('signed by the attacker over the id of the key', signed(payloadOf(run), borrowed));
  const named = { ...attackerKey, keyId, publicKey };
  add('signed by the attacker over the key', signed(payloadOf(run), named));
  add('with the key of the attacker', { ...receipt, publicKey: attackerKey.publicKey });
  const misled = { ...signingKey, publicKey: attackerKey.publicKey };
  add('really signed, with the key of the attacker in it', signed(payloadOf(run), misled));

  add('nothing', '');
  add('null', 'null');
  add('an array', [receipt]);
  add('a text', JSON.stringify(text));
  add('something behind it', `${text}{}`);
  add('NUL behind it', `${text}\0`);
  add('a comma too many', text.replace(/\}$/, ',}'));
  add('a comment', `/**/${text}`);
  add('a byte order mark', `\ufeff${text}`);
  add('UTF-16', Buffer.from(text, 'utf16le'));
  add('overlong UTF-8', Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0x80])]));
  add('the key', key);
  add('deep nesting', `${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  add('deep nesting inside', `{"payload":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`);
  add('a large file', text + ' '.repeat(70_000));
  return cases;
}

function edited(changes: object): object {
  return { ...receipt, payload: { ...receipt.payload, ...changes } };
}

function without(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([known]) => known !== name));
}

/** Another value of the same form. */
function another(name: string, value: unknown): unknown {
  const others: Record<string, unknown> = {
    source: 'manual',
    status: 'failed',
    issuer: 'https://jobs.example.org',
    previousReceiptSha256: '0'.repeat(64),
  };
  if (name in others) return others[name];
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return String(value).replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
}

/** The same five or more leading bits, other bits after them: the next digit in base64url. */
function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet.charAt(alphabet.indexOf(character) + 1);
}
