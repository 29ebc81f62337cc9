/** `jobd verify`: verdicts as text, as data and as exit codes (docs/behavior.md#receipt-4). */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { keyDocument, keySet } from '../../../src/receipt/key.ts';
import { receiptSha256 } from '../../../src/receipt/verify.ts';
import { runCommand } from '../../support/running/command.ts';
import type { Ran } from '../../support/running/program.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { jobd, notPackaged } from '../../support/running/executable.ts';
import { unsoundKeys } from '../../support/records/receipt-keys.ts';
import { key, receipt } from '../../support/hostile/receipt-mutations.ts';
import {
  attackerKey,
  chainOfReceipts,
  fileOf,
  signingKey,
} from '../../support/records/receipts.ts';

/** A directory with these files; `at` gives a path in it. */
function directoryOf(t: TestContext, files: Record<string, Uint8Array | string> = {}) {
  const directory = temporaryDirectory(t);
  const at = (name: string): string => join(directory, name);
  for (const [name, content] of Object.entries({
    'receipt.json': fileOf(receipt),
    'key.json': key,
    ...files,
  })) {
    mkdirSync(join(at(name), '..'), { recursive: true });
    writeFileSync(at(name), content);
  }
  return { at };
}

function verify(...args: string[]): Promise<Ran> {
  return runCommand(['verify', ...args]);
}

const lines = (receipts: readonly unknown[]): string =>
  receipts.map((one) => `${JSON.stringify(one)}\n`).join('');

test('a valid receipt is confirmed in one line that says what was attested, and exits with 0', async (t) => {
  const { at } = directoryOf(t);
  const ran = await verify(at('receipt.json'), at('key.json'));
  const { runId, jobId, finishedAt } = receipt.payload;
  assert.deepEqual(ran, {
    exitCode: 0,
    stdout:
      `valid: run ${runId} of job ${jobId} was answered with HTTP 200 (success) at ${finishedAt}, ` +
      `says https://jobs.example.com, signed by key ${signingKey.keyId}; ` +
      'it proves what the service observed, not what the called application did\n',
    stderr: '',
  });
});

test('--json prints the verdict as one document', async (t) => {
  const edited = { ...receipt, payload: { ...receipt.payload, durationMs: 1 } };
  const { at } = directoryOf(t, { 'edited.json': fileOf(edited) });
  const valid = await verify(at('receipt.json'), at('key.json'), '--json');
  assert.equal(valid.exitCode, 0);
  assert.deepEqual(JSON.parse(valid.stdout), {
    verdict: 'valid',
    receipts: [
      {
        source: at('receipt.json'),
        verdict: 'valid',
        receipt,
        receiptSha256: receiptSha256(receipt),
      },
    ],
    chains: [{ jobId: receipt.payload.jobId, length: 1, follows: null, problems: [] }],
  });
  const invalid = await verify(at('edited.json'), at('key.json'), '--json');
  assert.equal(invalid.exitCode, 1);
  const reason = `its signature by the key ${signingKey.keyId} does not match its content`;
  assert.deepEqual(JSON.parse(invalid.stdout), {
    verdict: 'invalid',
    receipts: [{ source: at('edited.json'), verdict: 'invalid', reason }],
    chains: [],
  });
});

test('each changed receipt of a file is refused, with its line', async (t) => {
  const text = JSON.stringify(receipt);
  // Every edit and every bit are in test/receipt/verify.test.ts.
  const changed = [
    text.replace('"attempts":', '"attempts":1'),
    text.slice(1),
    text.replace(/(?<="signature":")./, (letter) => (letter === 'A' ? 'B' : 'A')),
  ];
  const given = [text, ...changed].map((line) => `${line}\n`).join('');
  const { at } = directoryOf(t, { 'all.ndjson': given });
  const { exitCode, stdout } = await verify(at('all.ndjson'), at('key.json'), '--json');
  assert.equal(exitCode, 1);
  const { receipts } = JSON.parse(stdout) as { receipts: { source: string; verdict: string }[] };
  assert.deepEqual(
    receipts.map(({ source, verdict }) => [source.replace(/^.*, /, ''), verdict]),
    [
      ['line 1', 'valid'],
      ['line 2', 'invalid'],
      ['line 3', 'unreadable'],
      ['line 4', 'invalid'],
    ],
  );
});

test('receipts come from a file, lines of a file, a directory, or standard input', async (t) => {
  const chain = chainOfReceipts(4);
  const { at } = directoryOf(t, {
    'chain.ndjson': lines(chain),
    'turned.ndjson': lines(chain.toReversed()),
    ...Object.fromEntries(chain.map((one, index) => [`all/${9 - index}.json`, fileOf(one)])),
    'all/notes.txt': 'not looked at',
    'all/.hidden.json': 'nor is this',
    'gap/0.json': fileOf(chain[0]),
    'gap/2.json': fileOf(chain[2]),
    'empty/notes.txt': '',
  });
  const keyFile = at('key.json');
  const summary =
    /^valid: 4 receipts \(4 success, 0 failed\) of one job, from the first on, none missing between; [^\n]+\n$/;
  for (const path of ['chain.ndjson', 'all']) {
    const ran = await verify(at(path), keyFile);
    assert.match(ran.stdout, summary, path);
    assert.equal(ran.exitCode, 0);
  }
  assert.match((await runCommand(['verify', '-', keyFile], {}, lines(chain))).stdout, summary);
  const one = await runCommand(['verify', '-', keyFile], {}, JSON.stringify(receipt, null, 2));
  assert.match(one.stdout, /^valid: run /);

  const gap = await verify(at('gap'), keyFile);
  assert.equal(gap.exitCode, 1);
  assert.match(
    gap.stdout,
    /^invalid: in the chain of job .* is missing \(SHA-256 [0-9a-f]{64}\)\n/,
  );
  const turned = await verify(at('turned.ndjson'), keyFile);
  assert.equal(turned.exitCode, 1);
  assert.match(turned.stdout, /comes before the receipt that it follows/);
  const empty = await verify(at('empty'), keyFile);
  assert.equal(empty.exitCode, 2);
  assert.match(empty.stderr, /contains no file named \*\.json or \*\.ndjson\n$/);
});

test('keys come as the documents of the API, JSON Web Keys, PEM, or a directory', async (t) => {
  const old = keyDocument(attackerKey);
  const current = keyDocument(signingKey);
  const { at } = directoryOf(t, {
    'set.json': fileOf(keySet([attackerKey, signingKey])),
    'jwk.json': fileOf(current.jwk),
    'key.pem': current.pem,
    'keys/2024.json': fileOf(old),
    'keys/2025.pem': current.pem,
    'other.json': fileOf(old),
  });
  for (const name of ['set.json', 'jwk.json', 'key.pem', 'keys']) {
    const ran = await verify(at('receipt.json'), at(name));
    assert.equal(ran.exitCode, 0, ran.stdout + ran.stderr);
  }
  const other = await verify(at('receipt.json'), at('other.json'));
  assert.equal(other.exitCode, 1);
  assert.match(
    other.stdout,
    /^invalid: .*its key "[\w-]{43}" is not trusted \(trusted: [\w-]{43}\)\n$/,
  );
});

test('unreadable input exits with 2 and says why on stderr', async (t) => {
  const contradictory = unsoundKeys().find(({ name }) => name === 'key: the id of another key');
  const { at } = directoryOf(t, {
    'text.json': 'no JSON',
    'empty.json': '\n',
    'bad-key.json': contradictory?.key ?? '',
    'large.json': `${JSON.stringify(receipt)}${' '.repeat(70_000)}`,
    'broken.ndjson': `${JSON.stringify(receipt)}\nno JSON\n`,
  });
  if (existsSync('/dev/zero')) symlinkSync('/dev/zero', at('endless.json'));
  const rows: [args: string[], words: RegExp][] = [
    [['absent.json', 'key.json'], /^jobd: there is no file .*absent.json\n/],
    [
      ['receipt.json', 'absent.json'],
      /^jobd: there is no file .*absent.json: make one with curl \S+ \S+\/receipts\/keys -o keys.json\n/,
    ],
    [['text.json', 'key.json'], /^unreadable: .*text.json: it is not JSON: "n" at character 1\n$/],
    [['empty.json', 'key.json'], /^unreadable: .*empty.json: the file is empty\n$/],
    [['large.json', 'key.json'], /^unreadable: .* bytes, more than 65536\n$/],
    [
      ['broken.ndjson', 'key.json'],
      /^unreadable: .*, line 2: it is not JSON.*\n.* 1 of 2 receipts are valid/,
    ],
    [['receipt.json', 'bad-key.json'], /^jobd: the key cannot be used: its keyId contradicts/],
    [
      ['receipt.json', 'receipt.json'],
      /^jobd: the key cannot be used: it is a receipt, not a key\n$/,
    ],
    [['receipt.json', 'text.json'], /^jobd: the key cannot be used: it is not JSON/],
  ];
  if (existsSync('/dev/zero')) {
    rows.push([['endless.json', 'key.json'], /^jobd: .* has more than 67108864 bytes\n$/]);
    rows.push([['receipt.json', 'endless.json'], /^jobd: .* has more than 65536 bytes\n$/]);
  }
  for (const [args, words] of rows) {
    const ran = await verify(...args.map(at));
    assert.match(ran.stderr, words, args.join(' '));
    assert.equal(ran.exitCode, 2, args.join(' '));
    assert.equal(ran.stdout, '', args.join(' '));
  }
});

test('no text in a receipt or file name can control the terminal', async (t) => {
  const escape = '\u001b[2J\u009b1m\u202e';
  const hostile = {
    [`${escape}.json`]: fileOf({ ...receipt, [escape]: 1 }),
    'id.json': fileOf({ ...receipt, keyId: escape }),
    'issuer.json': fileOf({ ...receipt, payload: { ...receipt.payload, issuer: escape } }),
  };
  const { at } = directoryOf(t, hostile);
  for (const name of Object.keys(hostile)) {
    for (const flags of [[], ['--json']]) {
      const { stdout, exitCode } = await verify(at(name), at('key.json'), ...flags);
      assert.equal(exitCode, 1);
      // oxlint-disable-next-line no-control-regex -- these must not be printed
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      if (flags.length === 0) assert.match(stdout, /^[ -~…]+\n$/);
    }
  }
});

test('the executable verifies too', { skip: notPackaged }, async (t) => {
  const { at } = directoryOf(t, { 'forged.json': fileOf({ ...receipt, keyId: 'a' }) });
  const valid = await jobd(['verify', at('receipt.json'), at('key.json')]);
  assert.match(valid.stdout, /^valid: run /);
  assert.equal(valid.exitCode, 0);
  assert.equal((await jobd(['verify', at('forged.json'), at('key.json')])).exitCode, 1);
  assert.equal((await jobd(['verify', at('absent.json'), at('key.json')])).exitCode, 2);
});
