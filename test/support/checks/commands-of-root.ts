/** What commands of root's do on a machine with the service. */

import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { ThrowAwayRoot } from '../running/throw-away-root.ts';

/** Asserts that they use its data, unless root has a database of its own too; of other users, that they name it. */
export async function rootWorksForTheService(root: ThrowAwayRoot): Promise<void> {
  const own = join(userInfo().homedir, '.local/share/jobd');
  const created = await root.run(['jobd', 'key', 'create', '--name', 'ops']);
  assert.equal(created.exitCode, 0, created.stderr);
  assert.match(created.stderr, /^data directory: \/var\/lib\/jobd \(of the service\)\n/);
  assert.match((await root.run(['jobd', 'key', 'list'])).stdout, /^ops\t/m);
  // Not nobody, whose daemons may be on this machine.
  const user = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
  const closed = await root.run([...user, 'jobd', 'key', 'list'], { HOME: '/tmp' });
  assert.equal(closed.exitCode, 3);
  assert.match(
    closed.stderr,
    /\n {2}\/var\/lib\/jobd: data of the service \(\S+\.service\), .*closed to you\n/,
  );
  assert.match(closed.stderr, /\n {2}try: sudo jobd … --data \/var\/lib\/jobd\n$/);
  assert.ok(!root.has(own), 'nothing was made for root');

  root.write(`${own}/jobd.db`, 'a database of its own');
  const which = await root.run(['jobd', 'key', 'create']);
  assert.deepEqual([which.exitCode, which.stdout], [5, '']);
  assert.equal(
    which.stderr,
    'jobd: there are two databases, so say which: add --data DIR\n' +
      `  ${own} (your default)\n` +
      '  /var/lib/jobd (of the service)\n',
  );
  const named = await root.run(['jobd', 'key', 'list', '--data', '/var/lib/jobd']);
  assert.deepEqual([named.exitCode, named.stderr], [0, '']);
  await root.run(['rm', '-r', own]);
}
