/** Executables that a package manager replaces. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requireUnpackaged } from '../../../src/wings/upgrade/packaged.ts';
import { temporaryDirectory } from '../../support/directory.ts';

test('an executable that belongs to a package is left to its package manager', (t) => {
  const list = join(temporaryDirectory(t), 'jobd.list');
  writeFileSync(list, '/.\n/usr\n/usr/bin\n/usr/bin/jobd\n');
  const rows: [executable: string, command: string][] = [
    ['/usr/bin/jobd', 'sudo apt upgrade jobd'],
    ['/usr/lib/node_modules/@jobd/linux-x64/jobd', 'npm install --global jobd'],
    ['/home/ann/app/node_modules/@jobd/linux-arm64/jobd', 'npm install --global jobd'],
    ['/home/linuxbrew/.linuxbrew/Cellar/jobd/0.1.0/bin/jobd', 'brew upgrade jobd'],
  ];
  for (const [executable, command] of rows) {
    assert.throws(() => requireUnpackaged(executable, list), {
      code: 'conflict',
      notes: [`upgrade the package: ${command}`],
    });
  }
  for (const executable of ['/usr/local/bin/jobd', '/usr/bin/jobd2', '/srv/jobd']) {
    requireUnpackaged(executable, list);
  }
  requireUnpackaged('/usr/bin/jobd', join(temporaryDirectory(t), 'absent'));
});
