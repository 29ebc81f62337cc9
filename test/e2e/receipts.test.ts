/** Receipts in practice, with the packaged executable: download, archive, verify, rotate. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Run } from '../../src/api/runs/contract.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { jobd, notPackaged, serve } from '../support/running/executable.ts';
import type { Ran } from '../support/running/program.ts';
import { startSink } from '../support/fakes/sink.ts';

const run = promisify(execFile);
const canaries = [
  'canary-header-value',
  'canary-request-body',
  'canary-url-path',
  'canary-url-query',
];

const exits = async (...command: string[]): Promise<Ran['exitCode']> =>
  (await jobd(command)).exitCode;

test(
  'receipts verify with the archived keys, across a rotation, and reveal no secrets',
  { skip: notPackaged },
  async (t) => {
    const directory = temporaryDirectory(t);
    const [header, body, path, query] = canaries;
    const sink = await startSink(t, (response, { path: asked }) => {
      if (asked.startsWith('/away')) response.writeHead(302, { location: asked }).end();
      else response.end('done');
    });
    const data = join(directory, 'data');
    const args = ['--data', data, '--allow-target', '127.0.0.1/32:*', '--log-level', 'trace'];
    const daemon = await serve(t, args, directory);
    const key = (await jobd(['key', 'create', '--data', data])).stdout.trim();
    const environment = { JOBD_URL: daemon.url, JOBD_API_KEY: key };
    const ok = async (...command: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await jobd(command, environment);
      assert.equal(exitCode, 0, `${command.join(' ')}: ${stderr}`);
      return stdout;
    };
    const file = (name: string, text: string): string => {
      const place = join(directory, name);
      writeFileSync(place, text);
      return place;
    };
    const runs: string[] = [];
    const call = async (name: string, place: string): Promise<Run> => {
      const request = ['--method', 'POST', '--header', `X-Secret: ${header}`, '--data', body ?? ''];
      const url = `${sink.url}/${place}/${path}?token=${query}`;
      const when = ['--cron', '0 0 1 1 *'];
      await ok('jobs', 'create', '--name', name, '--url', url, ...request, ...when);
      const { stdout } = await jobd(['jobs', 'run', name, '--wait', '--json'], environment);
      const ended = (JSON.parse(stdout) as { run: Run }).run;
      runs.push(stdout);
      return ended;
    };

    const oldKey = file('old-key.json', await ok('signing-key', 'export', '--data', data));
    const first = await call('first', 'stay');
    const firstReceipt = await ok('runs', 'receipt', 'first', first.id);
    await ok('signing-key', 'rotate', '--yes', '--data', data);
    const newKey = file('new-key.json', await ok('signing-key', 'export', '--data', data));
    const keys = file('keys.json', await ok('signing-key', 'export', '--all', '--data', data));
    const second = await call('second', 'away');
    const secondReceipt = await ok('runs', 'receipt', 'second', second.id);
    const unanswered = await jobd(['runs', 'receipt', 'second', first.id], environment);
    assert.equal(unanswered.exitCode, 3);

    const firstFile = file('first.json', firstReceipt);
    const secondFile = file('second.json', secondReceipt);
    assert.equal(await exits('verify', firstFile, oldKey), 0);
    assert.equal(await exits('verify', secondFile, newKey), 0);
    assert.equal(await exits('verify', firstFile, newKey), 1);
    assert.equal(await exits('verify', secondFile, oldKey), 1);
    const both = file('both.ndjson', `${firstReceipt.trim()}\n${secondReceipt.trim()}\n`);
    assert.equal(await exits('verify', both, keys), 0);
    const edited = firstReceipt.replace('"httpStatus":200', '"httpStatus":201');
    assert.notEqual(edited, firstReceipt);
    assert.equal(await exits('verify', file('edited.json', edited), oldKey), 1);

    const script = await fetch(`${daemon.url}/verify-receipt.mjs`);
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
    const scriptFile = file('verify-receipt.mjs', await script.text());
    const { stdout: verdict } = await run(process.execPath, [scriptFile, firstFile, oldKey]);
    assert.match(verdict, new RegExp(`^valid: run ${first.id} `));

    assert.equal(await daemon.stop(), 0);
    const output = [firstReceipt, secondReceipt, daemon.log(), ...runs].join('\n');
    assert.match(output, /run ended/, 'the log is included');
    assert.match(runs[1] ?? '', /redirect: /);
    for (const canary of canaries) assert.ok(!output.includes(canary), canary);
    const mode = (name: string): number => statSync(join(data, name)).mode & 0o777;
    assert.equal(mode('secret-key'), 0o600, 'the key that seals the private key');
  },
);
