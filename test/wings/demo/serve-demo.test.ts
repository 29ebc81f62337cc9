/** `jobd serve --demo`: a month of history that goes with the process. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { runCommand, startCommand } from '../../support/running/command.ts';
import { until } from '../../support/until.ts';

/** A demo that has said where it is. */
async function startDemo(t: TestContext) {
  const directory = temporaryDirectory(t);
  const env = { TMPDIR: directory, JOBD_DATABASE_URL: 'postgres://127.0.0.1:1/earnest' };
  const demo = startCommand(t, ['serve', '--demo', '--port', '0'], env);
  let said = '';
  demo.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the words', () => said.includes('status\n'));
  return { demo, said, directory };
}

test('a demo has a history, runs, and leaves nothing', async (t) => {
  const { demo, said, directory } = await startDemo(t);
  const [, url = '', key = ''] = /JOBD_URL=(\S+) JOBD_API_KEY=(\S+)$/m.exec(said) ?? [];
  assert.match(said, /^look around: http:\S+\/sign-in#code=[0-9a-f]+$/m);
  const jobd = async (...words: string[]) => {
    const ran = await runCommand([...words, '--json'], { JOBD_URL: url, JOBD_API_KEY: key });
    assert.match(
      ran.stderr,
      // The first window is on Sundays.
      /^(?:muted: alerts of team=db until \S+(?: \S+)? by the window Database maintenance\n)?(?:held: team=staging until \S+(?: \S+)? by the window Staging moves\n)?$/,
    );
    return JSON.parse(ran.stdout);
  };

  const { jobs } = await jobd('jobs', 'list', '--selector', 'team=stock');
  const down = jobs.filter(({ status }: { status: string }) => status === 'down');
  assert.deepEqual([jobs.length, down.length], [6, 1]);
  const { periods } = await jobd('figures', 'Invoices');
  const [, , month] = periods;
  assert.ok(month.success > 600 && month.rate < 1, JSON.stringify(month));
  const { trouble } = await jobd('trouble');
  const outages = trouble.filter(({ kind }: { kind: string }) => kind === 'outage');
  assert.equal(outages.length, 1, JSON.stringify(trouble));
  const lastMonth = await jobd('report', '--tz', 'Europe/Paris', '--selector', 'team=ops');
  const rotated = lastMonth.jobs.find(({ name }: { name: string }) => name === 'Log rotation');
  const lengthMs = Date.parse(lastMonth.until) - Date.parse(lastMonth.from);
  assert.equal(rotated.due, Math.round(lengthMs / 86_400_000), 'all of last month is there');
  const { windows } = await jobd('windows', 'list');
  const { badges } = await jobd('badges', 'list');
  assert.deepEqual([windows.length, badges.length], [2, 1]);
  const { channels } = await jobd('channels', 'list');
  assert.equal(channels[0].lastDelivery.subject, null, 'a test was sent');
  const ledger = await jobd('ledger', 'check');
  const lost = ledger.jobs.filter(
    ({ unaccounted }: { unaccounted: unknown[] }) => unaccounted.length > 0,
  );
  assert.deepEqual(lost, []);
  const { results } = await jobd('jobs', 'run', '--selector', 'team=mail', '--wait');
  assert.equal(results.length, 2);
  for (const { run } of results) assert.equal(run.status, 'success');

  assert.equal(readdirSync(directory).length, 1);
  demo.kill('SIGTERM');
  const [code] = (await once(demo, 'exit')) as [number];
  assert.deepEqual([code, readdirSync(directory)], [0, []]);
});

test('a demo that is told twice to stop leaves nothing either', async (t) => {
  const { demo, directory } = await startDemo(t);
  assert.equal(readdirSync(directory).length, 1);
  // Two of one kind may count as one.
  demo.kill('SIGTERM');
  demo.kill('SIGINT');
  const [, signal] = (await once(demo, 'exit')) as [null, NodeJS.Signals];
  assert.match(signal, /^SIG(?:INT|TERM)$/, 'it did not wait');
  assert.deepEqual(readdirSync(directory), []);
});

test('a demo takes no data directory and no targets', async (t) => {
  const data = `${temporaryDirectory(t)}/data`;
  for (const options of [
    ['--data', data],
    ['--allow-target', '10.0.0.0/8'],
  ]) {
    const refused = await runCommand(['serve', '--demo', ...options], {});
    assert.equal(refused.exitCode, 2, refused.stderr);
    assert.match(refused.stderr, /^jobd: --demo keeps nothing: it goes with --port/);
  }
  assert.ok(!existsSync(data));
});
