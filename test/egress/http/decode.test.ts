import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { startKeptBody } from '../../../src/egress/http/decode.ts';
import { randomBytes, rollDice } from '../../support/dice.ts';
import { fakeTimers } from '../../support/fakes/timers.ts';

const codings: [name: string, compress: (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
];

interface Shown {
  text: string;
  truncated: boolean;
}

async function decoded(
  bytes: Buffer,
  coding: string | null,
  charset: string | null = null,
): Promise<Shown> {
  const preview = startKeptBody(coding, charset);
  assert.ok(preview !== null, `nothing to decode: ${coding} ${charset}`);
  let cut = false;
  for (let at = 0; at < bytes.length && !cut; at += 1_000) {
    cut = preview.push(bytes.subarray(at, at + 1_000));
  }
  const { text, truncated } = await preview.finish(cut, 'a', fakeTimers());
  return { text, truncated };
}

test('a compressed body is shown as what it was', async () => {
  const text = 'Fatal error: out of memory in /var/www/cron.php, é 日';
  for (const [coding, compress] of codings) {
    assert.deepEqual(await decoded(compress(Buffer.from(text)), coding), {
      text,
      truncated: false,
    });
    assert.equal((await decoded(compress(Buffer.alloc(0)), coding)).text, '');
  }
});

test('a large one is cut as any other, however much it would become', async () => {
  const random = Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 9973).join(' ');
  for (const [coding, compress] of codings) {
    const { text, truncated } = await decoded(compress(Buffer.from(random)), coding);
    assert.deepEqual([text, truncated], [random.slice(0, 4096), true], coding);
    const bomb = await decoded(compress(Buffer.alloc(20_000_000, 'a')), coding);
    assert.match(bomb.text, /^a*$/, coding);
    assert.equal(bomb.truncated, true, coding);
  }
});

test('damage after some text keeps the text', async (t) => {
  const random = rollDice(t);
  const words = randomBytes(random, 6_000).toString('hex');
  for (const [coding, compress] of codings.slice(0, 4)) {
    const bytes = compress(Buffer.from(words));
    const at = Math.floor(bytes.length * 0.9);
    const damaged = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(500, 0xff)]);
    const { text, truncated } = await decoded(damaged, coding);
    assert.deepEqual([text, truncated], [words.slice(0, 4096), true], coding);
  }
});

test('a compressed body cut anywhere shows a beginning of its text, or is shown as it came', async () => {
  const text = 'The job is done. '.repeat(40);
  for (const [coding, compress] of codings) {
    const bytes = compress(Buffer.from(text));
    for (let length = 0; length <= bytes.length; length += 1) {
      const part = bytes.subarray(0, length);
      const { text: shown } = await decoded(part, coding);
      assert.ok(text.startsWith(shown), `${coding} ${length}: ${JSON.stringify(shown)}`);
    }
  }
});

test('what only claims to be compressed is shown as it came', async () => {
  for (const [coding] of codings) {
    assert.deepEqual(await decoded(Buffer.from('not compressed'), coding), {
      text: 'not compressed',
      truncated: false,
    });
  }
});

test('random bytes in any coding give a text', async (t) => {
  const random = rollDice(t);
  for (let round = 0; round < 300; round += 1) {
    const [coding, compress] = codings[round % codings.length] ?? ['gzip', gzipSync];
    const bytes = compress(randomBytes(random, Math.floor(random() * 3_000)));
    for (let hits = 0; hits < 3; hits += 1) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    }
    const { text } = await decoded(bytes, coding);
    assert.ok(Buffer.byteLength(text) <= 4096);
  }
});

test('a charset that the Encoding Standard names is read', async () => {
  const rows: [charset: string, bytes: Buffer, text: string][] = [
    ['ISO-8859-1', Buffer.from('F\xfcr Gr\xf6\xdfe \x80', 'latin1'), 'Für Größe €'],
    ['windows-1251', Buffer.from([0xcf, 0xf0, 0xe8]), 'При'],
    ['Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['utf-16', Buffer.from('\ufeffé', 'utf16le'), 'é'],
    ['utf-16', Buffer.from('\ufeffé', 'utf16le').swap16(), 'é'],
    ['gb18030', Buffer.from([0xc4, 0xe3]), '你'],
  ];
  for (const [charset, bytes, text] of rows) {
    assert.deepEqual(await decoded(bytes, null, charset), { text, truncated: false }, charset);
    assert.equal((await decoded(gzipSync(bytes), 'gzip', charset)).text, text, charset);
  }
});

test('there is nothing to decode in UTF-8, in unknown codings and in unknown charsets', async () => {
  for (const charset of ['utf-8', 'UTF8', 'nonsense', 'utf-7', null]) {
    for (const coding of [null, 'compress', 'gzip, br', 'nonsense']) {
      assert.equal(startKeptBody(coding, charset), null, `${coding} ${charset}`);
    }
  }
  assert.equal(startKeptBody('compress', 'latin1'), null, 'no text in any charset');
});

test('a long body in another charset is cut between two characters', async () => {
  const { text, truncated } = await decoded(Buffer.alloc(50_000, 0xe9), null, 'latin1');
  assert.deepEqual([text, truncated], ['é'.repeat(2048), true]);
});

test('what a few bytes become is shown, and more of it is not made', async () => {
  const line = '{"ok":true,"n":1},\n';
  for (const [coding, compress] of codings) {
    const { text, truncated } = await decoded(compress(Buffer.from(line.repeat(100_000))), coding);
    assert.deepEqual([text, truncated], [line.repeat(300).slice(0, 4096), true], coding);
  }
});

/** It becomes 16 MiB before the decoder gives any of it away. */
const slow =
  'cfffff7f000ca5aaaaaaaaaaaaaa2a111442815f00bea7fffcffff07c050aaaaaaaaaaaaaaaa12412114f805e07bfa0f';

test('a body that keeps a decoder busy does not keep this thread', async () => {
  const bytes = Buffer.concat([Buffer.from(slow, 'hex'), Buffer.alloc(65_000)]);
  const [here, everywhere] = [process.threadCpuUsage(), process.cpuUsage()];
  await Promise.all(Array.from({ length: 4 }, () => decoded(bytes, 'br')));
  const [ofThread, ofAll] = [process.threadCpuUsage(here), process.cpuUsage(everywhere)];
  assert.ok(ofThread.user < ofAll.user / 3, `${ofThread.user} of ${ofAll.user} µs`);
});
