import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSink } from '../../support/fakes/sink.ts';
import { serveCommand } from '../../support/running/command.ts';
import { until } from '../../support/until.ts';

test('jobs run --wait shows progress, and runs report ends what does not report', async (t) => {
  const { jobd } = await serveCommand(t);
  const sink = await startSink(t, (response) => response.writeHead(202).end());
  const call = ['--url', sink.url, '--every', '1d', '--report-within', '2h'];
  const created = await jobd('jobs', 'create', '--name', 'import', ...call);
  assert.match(created.stdout, /^report after 202\t2h$/m, created.stderr);
  const waiting = jobd('jobs', 'run', 'import', '--wait');
  await until('the call', () => sink.received.length === 1);
  const url = String(sink.received[0]?.headers['x-service-report-url']);
  const body = JSON.stringify({ percent: 40, message: 'copying' });
  const shows = async (): Promise<boolean> => {
    const { stdout } = await jobd('runs', 'get', 'import');
    return /^report\texpected until \S+; last progress at \S+: 40 %: copying$/m.test(stdout);
  };
  assert.equal((await fetch(`${url}/progress`, { method: 'POST', body })).status, 200);
  await until('the progress', shows);
  const how = /^jobd: .*: jobd runs report \S+ \S+, with --fail for a failure$|to end the wait/m;
  assert.match((await jobd('runs', 'get', 'import')).stderr, how);
  const refused = await jobd('jobs', 'run', 'import');
  assert.equal(refused.exitCode, 5);
  assert.match(
    refused.stderr,
    /waits for the report of its target, until .* \(last progress at .*: 40 %: copying\): wait/,
  );
  assert.match(refused.stderr, /to end the wait in place of the target: jobd runs report/);
  const message = ['--message', 'the worker is gone'];
  const ended = await jobd('runs', 'report', 'import', '--fail', ...message);
  assert.match(ended.stdout, /^error\treported: the worker is gone$/m, ended.stderr);
  const waited = await waiting;
  assert.equal(waited.exitCode, 10);
  assert.match(waited.stderr, /waiting for the run of import: 40 %: copying/);
  const again = await jobd('runs', 'report', 'import', 'latest');
  assert.equal(again.exitCode, 5);
  assert.match(again.stderr, /does not wait for a report: it ended as failed/);
  const none = await jobd('runs', 'report', 'import');
  assert.match(none.stderr, /^jobd: no run of import waits for a report$/m);
  const word = await jobd('runs', 'report', 'import', 'success');
  assert.match(word.stderr, /success is no run that waits: .*: jobd runs report 'import'; as a/);
  const off = await jobd('jobs', 'update', 'import', '--no-report-within');
  assert.doesNotMatch(off.stdout, /^report after 202/m);
});
