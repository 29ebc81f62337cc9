/** A store without write access, by mount or by permission: jobd ends with a message. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { executable, notPackaged } from '../support/running/executable.ts';
import { makeNamespace, noNamespaces } from '../support/running/namespace.ts';
import { assertRefuses } from './faults/refusal.ts';
import { prepareService, type Service } from './faults/service.ts';
import { nobody, notRoot } from '../support/running/other-user.ts';

for (const before of ['never served', 'served before', 'served by one that was killed']) {
  test(
    `on a read-only mount jobd ends with a message, the store ${before}`,
    { skip: notPackaged || noNamespaces },
    async (t) => {
      const directory = temporaryDirectory(t);
      const mounted = await makeNamespace(t, `mount -t tmpfs -o size=4m tmpfs ${directory}`);
      const service = await prepareService(t, [], { namespace: { mounted, directory } });
      await serveOnce(service, before);
      mounted.run(`mount -o remount,ro ${directory}`);
      await assertRefuses(service.tryStart(), service.dataDir);
    },
  );
}

/** Which permission is removed from whom, and whether jobd has run there before. */
const denials: [string, string, (dataDir: string) => void][] = [
  ['its directory', 'never served', (dataDir) => fs.chmodSync(dataDir, 0o555)],
  ['its directory', 'served before', (dataDir) => fs.chmodSync(dataDir, 0o555)],
  ['its files', 'served before', (dataDir) => fs.chownSync(dataDir, nobody, nobody)],
  ['write its files', 'served before', readableOnly],
];

function readableOnly(dataDir: string): void {
  fs.chmodSync(dataDir, 0o555);
  for (const name of fs.readdirSync(dataDir)) fs.chmodSync(join(dataDir, name), 0o444);
}

for (const [what, before, deny] of denials) {
  test(
    `without permission to ${what} jobd ends with a message, the store ${before}`,
    { skip: notPackaged || notRoot },
    async (t) => {
      const service = await prepareService(t, []);
      await serveOnce(service, before);
      deny(service.dataDir);
      fs.chmodSync(join(service.dataDir, '..'), 0o755);
      // Other users may have no access to the executable's directory.
      const directory = temporaryDirectory(t);
      fs.chmodSync(directory, 0o755);
      const own = join(directory, 'jobd');
      fs.copyFileSync(executable, own, fs.constants.COPYFILE_FICLONE);
      await assertRefuses(service.tryStart({ executable: own, uid: nobody }), service.dataDir);
    },
  );
}

/** Leaves the store as it is after a start, or without one. */
async function serveOnce(service: Service, before: string): Promise<void> {
  if (before === 'never served') return;
  const daemon = await service.start();
  await daemon.stop(before === 'served before' ? 'SIGTERM' : 'SIGKILL');
}
