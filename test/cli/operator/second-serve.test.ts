/** One daemon per data directory. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { until } from '../../support/until.ts';

test('a second daemon on a data directory is refused without harm; after the first one stops it may serve', async (t) => {
  const daemon = await serveCommand(t);
  const sink = await startHeldSink(t);
  await daemon.jobd('jobs', 'create', '--name', 'slow', '--url', sink.url, '--cron', '0 0 1 1 *');
  await daemon.jobd('jobs', 'run', 'slow');
  await sink.waitFor(1);

  const pid = Number(/\d+/.exec(await daemonPid(daemon.dataDir)));
  for (const port of ['0', new URL(daemon.url).port]) {
    const second = await runCommand(['serve', '--port', port, '--data', daemon.dataDir]);
    assert.equal(second.exitCode, 5);
    assert.equal(second.stdout, '');
    assert.match(
      second.stderr,
      new RegExp(`^jobd: another jobd \\(process ${pid}\\) already serves `),
    );
  }

  sink.release();
  const ended = await until('the end of the run', async () => {
    const { stdout } = await daemon.jobd('runs', 'list', 'slow', '--json');
    const [run] = (JSON.parse(stdout) as { runs: { status: string }[] }).runs;
    return run?.status === 'running' ? null : run;
  });
  assert.equal(ended.status, 'success', 'the run of the first daemon was left alone');
  assert.equal((await daemon.stop('SIGTERM')).exitCode, 0);
  const taken = await runCommand(['serve', '--port', 'x', '--data', daemon.dataDir]);
  assert.equal(taken.exitCode, 2, 'flags are looked at first');
});

async function daemonPid(dataDir: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return await readFile(`${dataDir}/serve.pid`, 'utf8');
}
