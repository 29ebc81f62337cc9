/** What must be true of a new executable before any of it runs. */

import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { JobdError } from '../../../src/domain/errors.ts';
import { isTrustworthyUrl } from '../../../src/egress/download.ts';
import {
  openWorkshop,
  putBackExecutable,
  putExecutable,
} from '../../../src/wings/upgrade/executable.ts';
import { takeRelease, type ReleaseSource } from '../../../src/wings/upgrade/release.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';

const program = '#!/bin/sh\necho 9.9.9\n';
const sumOf = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** A release in a directory: plain, compressed, with its sums. */
function releaseIn(directory: string): string {
  const packed = gzipSync(program);
  fs.writeFileSync(join(directory, 'jobd-linux-x64'), program);
  fs.writeFileSync(join(directory, 'jobd-linux-x64.gz'), packed);
  const sums = `${sumOf(program)}  jobd-linux-x64\n${sumOf(packed)}  jobd-linux-x64.gz\n`;
  fs.writeFileSync(join(directory, 'SHA256SUMS'), sums);
  return sums;
}

function taking(t: TestContext, source: Partial<ReleaseSource> & { from: string }) {
  return takeRelease({ sha256: null, publicKey: null, ...source }, temporaryDirectory(t));
}

const refusal = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof JobdError, String(error));
  assert.match(error.message, words);
  return true;
};

test('a file is taken as it is or compressed, if its checksum is listed or given', async (t) => {
  const directory = temporaryDirectory(t);
  releaseIn(directory);
  for (const name of ['jobd-linux-x64', 'jobd-linux-x64.gz']) {
    const path = await taking(t, { from: join(directory, name) });
    assert.equal(fs.readFileSync(path, 'utf8'), program);
    assert.equal(fs.statSync(path).mode & 0o777, 0o755);
  }
  fs.rmSync(join(directory, 'SHA256SUMS'));
  const from = join(directory, 'jobd-linux-x64');
  await taking(t, { from, sha256: sumOf(program).toUpperCase() });
  await assert.rejects(taking(t, { from }), refusal(/^nothing proves the new executable: /));
  await assert.rejects(
    taking(t, { from, sha256: sumOf('other') }),
    refusal(/does not match its checksum: it is damaged or not genuine, nothing was changed/),
  );
  await assert.rejects(
    taking(t, { from, sha256: 'abc' }),
    refusal(/64 hexadecimal digits, got abc/),
  );
});

test('with a public key, the list of checksums must be signed by it, also beside --sha256', async (t) => {
  const directory = temporaryDirectory(t);
  const sums = releaseIn(directory);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyFile = join(directory, 'key.pem');
  fs.writeFileSync(keyFile, publicKey.export({ type: 'spki', format: 'pem' }));
  const from = join(directory, 'jobd-linux-x64.gz');
  const source = { from, publicKey: keyFile, sha256: sumOf(fs.readFileSync(from)) };
  await assert.rejects(taking(t, source), refusal(/SHA256SUMS\.sig/));
  const other = generateKeyPairSync('ed25519').privateKey;
  const signature = join(directory, 'SHA256SUMS.sig');
  for (const bad of [sign(null, Buffer.from(sums), other), Buffer.from('short')]) {
    fs.writeFileSync(signature, bad);
    await assert.rejects(taking(t, source), refusal(/is not a signature of SHA256SUMS by the key/));
  }
  fs.writeFileSync(signature, sign(null, Buffer.from(sums), privateKey));
  assert.equal(fs.readFileSync(await taking(t, source), 'utf8'), program);
  fs.appendFileSync(join(directory, 'SHA256SUMS'), `${sumOf('evil')}  evil\n`);
  await assert.rejects(taking(t, source), refusal(/is not a signature/));
});

test('a download ends whole or not at all, and a redirect may not leave https', async (t) => {
  const directory = temporaryDirectory(t);
  releaseIn(directory);
  const { url } = await startSink(t, (response, { path: asked }) => {
    const name = asked.slice(1);
    if (name === 'moved.gz') response.writeHead(302, { location: 'http://192.0.2.1/x' }).end();
    else if (name === 'cut.gz') {
      response.writeHead(200, { 'content-length': '1000' }).write('part');
      setTimeout(() => response.destroy(), 20);
    } else if (fs.existsSync(join(directory, name))) {
      response.end(fs.readFileSync(join(directory, name)));
    } else response.writeHead(404).end();
  });
  const path = await taking(t, { from: `${url}/jobd-linux-x64.gz` });
  assert.equal(fs.readFileSync(path, 'utf8'), program);
  const sha256 = sumOf(program);
  const refused = (name: string, words: RegExp) =>
    assert.rejects(taking(t, { from: `${url}/${name}`, sha256 }), refusal(words));
  await refused('none.gz', /^there is no .*none\.gz \(404\)/);
  await refused('moved.gz', /must be an https URL .*, got http:\/\/192\.0\.2\.1\/x/);
  await refused('cut.gz', /^cannot download .*cut\.gz: /);
});

test('only https is downloaded, and http from this machine', () => {
  const urls = {
    'https://a.example/x': true,
    'http://127.0.0.1:80/x': true,
    'http://[::1]/x': true,
    'http://a.example/x': false,
    'http://127.0.0.1@a.example/x': false,
    'https://user:word@a.example/x': false,
    'ftp://127.0.0.1/x': false,
    'file:///etc/passwd': false,
  };
  for (const [url, isAllowed] of Object.entries(urls)) {
    assert.equal(isTrustworthyUrl(url), isAllowed, url);
  }
});

test('one upgrade at a time replaces an executable, and what crashed is cleared away', (t) => {
  const directory = temporaryDirectory(t);
  const executable = join(directory, 'jobd');
  const read = (name: string) => fs.readFileSync(join(directory, name), 'utf8');
  fs.writeFileSync(executable, 'old');
  fs.mkdirSync(join(directory, '.jobd-upgrade'));
  {
    using workshop = openWorkshop(executable);
    assert.throws(() => openWorkshop(executable), refusal(/another upgrade \(process \d+\)/));
    const fresh = join(workshop.directory, 'jobd');
    fs.writeFileSync(fresh, 'new');
    putExecutable(executable, fresh, workshop.directory);
    assert.deepEqual([read('jobd'), read('jobd.previous')], ['new', 'old']);
    putBackExecutable(executable, workshop.directory);
    assert.deepEqual([read('jobd'), read('jobd.failed')], ['old', 'new']);
  }
  assert.ok(!fs.existsSync(join(directory, '.jobd-upgrade')));
});
