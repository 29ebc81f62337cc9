/**
 * If the call thread ends by itself, the process reports it and ends, and nothing is sent again.
 */

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { prepareService } from './faults/service.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');
const notBuilt = existsSync(join(dist, 'jobd.cjs')) ? notPackaged : 'dist/jobd.cjs is not built';

/** The bundle, with a call thread that ends as soon as it gets a call. */
function bundleWhoseThreadEnds(t: TestContext): string {
  const directory = temporaryDirectory(t);
  for (const name of ['jobd.cjs', 'better_sqlite3.node'])
    copyFileSync(join(dist, name), join(directory, name));
  const thread = `require('node:worker_threads').parentPort.once('message', () => process.exit(3))`;
  writeFileSync(join(directory, 'egress-thread.cjs'), thread);
  const executable = join(directory, 'jobd');
  writeFileSync(executable, `#!${process.execPath}\nrequire('./jobd.cjs');\n`, { mode: 0o700 });
  return executable;
}

test(
  'if the call thread ends by itself the process ends, and its calls are interrupted',
  { skip: notBuilt },
  async (t) => {
    const service = await prepareService(t, ['called']);
    await service.dueIn({ called: 0 });
    const dying = service.tryStart({ executable: bundleWhoseThreadEnds(t) });
    assert.equal(await dying.ended, 1, dying.log());
    const said = dying.log().split('\n');
    assert.ok(said.includes('jobd: Error: the thread of outgoing calls ended with 3'), dying.log());
    assert.ok(
      said.every((line) => line.length < 500),
      'no line is source',
    );
    const again = await service.start();
    await service.untilRun('called', 'interrupted');
    assert.equal(await again.stop(), 0);
    assert.equal(service.witness.arrivals.length, 0);
    assert.deepEqual(service.audit(), []);
  },
);
