/** Malicious targets: what they cost other jobs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { authority } from '../egress/certificates.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { assertHarmless, startVictim } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';

/** More than others need to be served. */
const attackSeconds = 60;
/** So many calls of hosts that attack have failed. */
const enoughCalls = 20;

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
      prepare: async (addJob) => {
        for (let second = 0; second < attackSeconds; second += 1) {
          for (const port of ports) {
            const input = { name: `hostile ${port} ${second}`, url: `https://127.0.0.1:${port}/` };
            await addJob({ ...input, timeoutSeconds: 5 }, second);
          }
        }
      },
    });
    const failed = () => victim.log().match(/"job":"hostile [^\n]*"run ended"/g)?.length ?? 0;
    const toll = await victim.watch(async (untilServed) => {
      victim.makeDue();
      await until('calls of hostile hosts', () => failed() >= enoughCalls);
      await untilServed();
    });
    t.diagnostic(JSON.stringify(toll));
    assertHarmless(toll);
  },
);
