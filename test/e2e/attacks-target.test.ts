/** Malicious targets: what they cost other jobs. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { authority } from '../egress/certificates.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { longestHealthMs, startVictim } from '../support/running/under-attack.ts';

const attackSeconds = 12;

/** Starts the hostile hosts of `attacks/hostile-tls.ts`; they end with the test. */
async function startHostile(t: TestContext): Promise<number[]> {
  const script = join(import.meta.dirname, 'attacks', 'hostile-tls.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return JSON.parse(line.toString()) as number[];
}

test(
  'TLS floods and expensive handshakes of some hosts delay no call to others',
  { skip: notPackaged },
  async (t) => {
    const ports = await startHostile(t);
    const ca = join(temporaryDirectory(t), 'ca.pem');
    writeFileSync(ca, authority);
    const victim = await startVictim(t, {
      wrapper: ['env', `NODE_EXTRA_CA_CERTS=${ca}`],
      // Each host is called every second.
      prepare: async ({ addJob }, firstDueAt) => {
        for (let second = 0; second < attackSeconds; second += 1) {
          for (const port of ports) {
            const schedule = { scheduleType: 'period', periodSeconds: 60 } as const;
            const input = { name: `${port} ${second}`, url: `https://127.0.0.1:${port}/` };
            const dueAt = firstDueAt + second * 1_000;
            await addJob({ ...input, ...schedule, timeoutSeconds: 5 }, dueAt - 60_000);
          }
        }
      },
    });
    const toll = await victim.watch(() => setTimeout(attackSeconds * 1_000 + 3_000));
    t.diagnostic(JSON.stringify(toll));
    assert.ok(toll.due >= attackSeconds);
    assert.ok(toll.healthMs < longestHealthMs, `health took ${toll.healthMs} ms`);
    assert.ok(toll.latestCallMs < 5_000, `a good job was ${toll.latestCallMs} ms late`);
    assert.ok(toll.grownMiB <= 100, `${toll.grownMiB} MiB more`);
  },
);
