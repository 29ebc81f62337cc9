/**
 * DNS rebinding against the executable, in a network where every address exists and each connection
 * is counted.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { executable, notPackaged } from '../support/running/executable.ts';
import type { Report } from './namespace/inside.ts';

/** Users other than root get root in a user namespace, where that is permitted. */
const unshare = process.getuid?.() === 0 ? ['-n', '-m'] : ['-r', '-n', '-m'];

function whyNot(): string | false {
  if (notPackaged !== false) return notPackaged;
  const tried = spawnSync('unshare', [...unshare, 'ip', 'link', 'set', 'lo', 'up']);
  return tried.status === 0 ? false : 'no right to make a network namespace, or no ip command';
}

test('a thousand rounds of rebinding reach no forbidden address', { skip: whyNot() }, async (t) => {
  const script = join(import.meta.dirname, 'namespace', 'inside.ts');
  const args = [...unshare, process.execPath, script, executable];
  const { stdout } = await promisify(execFile)('unshare', args, {
    timeout: 150_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"rounds":'));
  assert.equal(lines.length, 1, stdout.slice(-2_000));
  const report = JSON.parse(lines[0] ?? '') as Report;
  t.diagnostic(
    `${report.rounds} rounds, ${report.attempted} connections started, ${report.arrivals} requests arrived`,
  );
  assert.equal(report.rounds, 1000);
  assert.deepEqual(report.trespasses, []);
  assert.deepEqual(report.wrong, []);
  // No connection was attempted that the sinks did not see, on any port.
  assert.equal(report.attempted, report.seen);
  assert.ok(report.arrivals > 300, 'public addresses are reached');
  assert.equal(report.throughApi.lookUpsBefore, 0, 'a job is judged by its text when it is made');
  assert.match(report.throughApi.error ?? '', /^blocked_address: 10\.9\.9\.9 is not public/);
  assert.equal(report.throughApi.arrivals, 0);
});
