/**
 * Canaries: secrets go through everything that jobd does, and must not appear in any byte that it
 * wrote or logged. Uses the packaged executable.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLocal } from '../support/running/local.ts';
import { openSigningKey } from '../../src/receipt/keyring.ts';
import { findActiveSigningKey } from '../../src/store/proof/signing-keys.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { jobd, notPackaged, serve } from '../support/running/executable.ts';
import { rawBytes } from '../support/checks/raw-bytes.ts';
import { startSink } from '../support/fakes/sink.ts';
import { bearer, send } from '../support/running/send.ts';
import { until } from '../support/until.ts';

const password = 'canary-basic-password';
const canaries = {
  bearer: 'canary-bearer-0123456789abcdef',
  basic: btoa(`ann:${password}`),
  password,
  apiKey: 'canary-api/key+with="signs"\\',
  cookie: 'canary-session-cookie',
  replaced: 'canary-replaced-value',
  refused: 'canary-refused-value',
  body: 'canary-body-{"n":1}',
  bodyChanged: 'canary-changed-body',
};

const requests: Record<string, string>[] = [
  { Authorization: `Bearer ${canaries.bearer}`, 'X-Api-Key': canaries.apiKey },
  { authorization: `Basic ${canaries.basic}`, Cookie: `a=1; session=${canaries.cookie}` },
];

/** Places at the target, and its answers to requests with secrets. */
const places = ['echo', 'json', 'split', 'away', 'fails', 'recovers', 'breaks'];

test(
  'secrets are in no answer, no log line and no byte of the database',
  { skip: notPackaged },
  async (t) => {
    const directory = temporaryDirectory(t);
    const dataDir = join(directory, 'data');
    const recovering = new Set<string>();
    const sink = await startSink(t, (response, { path, headers }) => {
      const values = [headers.authorization, headers['x-api-key'], headers.cookie];
      const said = values.filter((value) => typeof value === 'string').join('\n');
      const secret = String(headers.authorization).split(' ')[1] ?? '';
      const place = path.split('/')[1];
      const runId = String(headers['x-service-run-id']);
      if (place === 'echo') response.end(said);
      else if (place === 'json') response.end(JSON.stringify({ headers, known: knownOf(secret) }));
      else if (place === 'split') response.end(`${'-'.repeat(4080)}${secret}`);
      else if (place === 'away') {
        const location = `https://${secret}.example.com/${secret}`;
        response.writeHead(302, { location }).end(said);
      } else if (place === 'fails') response.writeHead(500, secret.replaceAll('=', '')).end(said);
      else if (place === 'recovers' && !recovering.has(runId)) {
        recovering.add(runId);
        response.writeHead(503, { 'retry-after': '0' }).end(said);
      } else if (place === 'breaks') {
        response.writeHead(200, { 'content-length': '9999' });
        response.write(said.slice(0, -3), () => response.destroy());
      } else response.end(said);
    });

    const args = ['--data', dataDir, '--allow-target', '127.0.0.1/32:*', '--log-level', 'trace'];
    const daemon = await serve(t, args, directory);
    // A key may send 120 requests a minute.
    const apiKeys: string[] = [];
    const takeKey = async (): Promise<void> => {
      apiKeys.push((await jobd(['key', 'create', '--data', dataDir])).stdout.trim());
    };
    const answers: string[] = [];
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as a client would
    const ask = async (method: string, path: string, body?: unknown, more = {}): Promise<any> => {
      const headers = { ...bearer(apiKeys.at(-1) ?? ''), ...more };
      const response = await send(`${daemon.url}/api/v1${path}`, method, body, headers);
      const answer = JSON.parse(await response.text());
      // A job shows its own body.
      for (const job of [answer.job, ...(answer.jobs ?? [])]) if (job) delete job.body;
      answers.push(JSON.stringify(answer), JSON.stringify([...response.headers]));
      return answer;
    };

    const run = async (id: string): Promise<void> => {
      const { run: queued } = await ask('POST', `/jobs/${id}/run`, undefined, {
        'idempotency-key': id,
      });
      await ask('POST', `/jobs/${id}/run`, undefined, { 'idempotency-key': id });
      await until('the end of the run', async () => {
        const { run: now } = await ask('GET', `/jobs/${id}/runs/${queued.id}`);
        return now.status !== 'queued' && now.status !== 'running';
      });
      await ask('GET', `/jobs/${id}/runs`);
      await ask('GET', `/jobs/${id}/runs/${queued.id}/receipt`);
    };
    const create = async (place: string, headers: object): Promise<string> => {
      const url = `${sink.url}/${place}`;
      const when = { cronExpr: '0 0 1 1 *', retries: 1 };
      const job = { name: place, url, method: 'POST', headers, body: canaries.body, ...when };
      return (await ask('POST', '/jobs', job)).job.id;
    };
    const ids: string[] = [];
    for (const place of places) {
      await takeKey();
      for (const headers of requests) {
        const id = await create(place, headers);
        ids.push(id);
        await run(id);
      }
    }
    // The target received the secrets in full.
    const { headers: sent, body: sentBody } = sink.received[0]!;
    assert.deepEqual(
      [sent.authorization, sent['x-api-key'], sentBody],
      [`Bearer ${canaries.bearer}`, canaries.apiKey, canaries.body],
    );

    await takeKey();
    const [changed = '', deleted = '', kept = ''] = ids;
    await ask('PATCH', `/jobs/${changed}`, { headers: { 'X-New': canaries.replaced } });
    await ask('PATCH', `/jobs/${changed}`, { headers: {}, body: canaries.bodyChanged });
    await ask('DELETE', `/jobs/${deleted}`);
    const { refused } = canaries;
    const valid = { name: 'a', url: sink.url, method: 'POST' };
    const broken: object[] = [
      { headers: { 'X-A': `${refused}\r\nX-B: c` } },
      { headers: { 'X-A': `${refused}é` } },
      { headers: { Host: refused } },
      { headers: { 'X-A': [refused] } },
      { headers: { 'X-A': { a: refused } } },
      { headers: refused },
      { headers: [refused] },
      { headers: { 'X-A': refused.repeat(2_000) } },
      { headers: { 'X-A': refused, 'x-a': refused } },
      { body: refused.repeat(3_000) },
      { body: { a: refused } },
      { body: [refused] },
      { body: refused, method: 'GET' },
      { body: refused, headers: { 'X-A': refused }, cronExpr: 'never' },
    ];
    for (const job of broken) {
      assert.ok((await ask('POST', '/jobs', { ...valid, ...job })).error, JSON.stringify(job));
      await ask('PATCH', `/jobs/${kept}`, job);
    }
    await ask('GET', '/jobs?limit=100');

    const secretKey = (): string => readFileSync(join(dataDir, 'secret-key'), 'utf8').trim();
    const keys = [...apiKeys, secretKey(), ...(await signingKeyTexts(dataDir))];
    const raw = [await rawBytes(dataDir)];
    const [, oldHead = ''] = /(v1\.[0-9a-f]{16}\.)/.exec(raw[0] ?? '') ?? [];
    const rotated = await jobd(['secrets', 'rotate', '--yes', '--data', dataDir]);
    assert.equal(rotated.exitCode, 0, rotated.stderr);
    const left = (await rawBytes(dataDir)).split(oldHead).length - 1;
    assert.ok(oldHead !== '' && left === 0, `${left} values that the old key opens are left`);
    keys.push(secretKey());
    await run(await create('echo', requests[0] ?? {}));
    raw.push(await rawBytes(dataDir));
    assert.equal(await daemon.stop(), 0);
    raw.push(await rawBytes(dataDir));

    const log = daemon.log();
    assert.match(log, /run ended/, 'the log was searched');
    const everything = {
      'an answer': answers.join('\n'),
      'the log': log,
      'raw bytes': raw.join('\n'),
    };
    assert.match(everything['an answer'], /\[redacted\]/);
    assert.match(everything['raw bytes'], /\[redacted\]/);
    for (const [where, text] of Object.entries(everything)) {
      for (const secret of [...Object.values(canaries), ...keys]) {
        const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
        // Not even a large part of one: a cut leaves prefixes.
        for (const text2 of [...spellings, secret.slice(0, Math.max(12, secret.length / 2))]) {
          assert.ok(!text.includes(text2), `${text2} is in ${where}`);
        }
      }
      assert.doesNotMatch(text, /canary/, where);
    }
  },
);

/** What a target sees of a credential: for Basic, the password. */
function knownOf(credential: string): string {
  return credential === canaries.basic ? password : credential;
}

/** The private signing key in every form that it could be stored in. */
async function signingKeyTexts(dataDir: string): Promise<string[]> {
  await using local = await openTestLocal(dataDir);
  const active = await findActiveSigningKey(local.store.db);
  assert.ok(active);
  const { privateKey } = openSigningKey(await local.openVault(), active);
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const seed = der.subarray(-32);
  const forms = [der.toString('base64'), seed.toString('base64'), seed.toString('hex')];
  return [...forms, seed.toString('latin1')];
}
