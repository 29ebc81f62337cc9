/**
 * A process of jobd for commands one after another (`warm.ts`): each line of its standard input is one. What a command prints goes
 * to the streams of this process, and a mark after it says that it has ended.
 */

import http from 'node:http';
import https from 'node:https';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { zoneSourceAt } from '../../../src/base/zone-files.ts';
import { sayError } from '../../../src/cli/terminal/output.ts';
import { useZoneSource } from '../../../src/domain/schedule/zone-data.ts';
import { run } from '../../../src/serve/program.ts';
import { main, type Asked } from './warm.ts';

process.setMaxListeners(0);
useZoneSource(zoneSourceAt('/usr/share/zoneinfo'));
process.on('uncaughtException', (error) => {
  sayError(`jobd: ${error.stack ?? error.message}`);
  process.exit(1);
});

const user = process.geteuid?.();
for await (const line of createInterface({ input: process.stdin })) {
  const { args, env, input, cwd, mark } = JSON.parse(line) as Asked;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdin = Readable.from([Buffer.from(input, 'base64')]);
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  process.chdir(cwd);
  process.argv = [process.execPath, main, ...args];
  const held = process.getActiveResourcesInfo().length;
  const exitCode = await run(process.argv);
  // A process of its own would end only now.
  do await setImmediate();
  while (process.getActiveResourcesInfo().length > held);
  for (const { globalAgent } of [http, https]) globalAgent.destroy();
  // Root acts as the owner of a data directory from then on.
  if (process.geteuid?.() !== user) {
    process.exitCode = exitCode;
    break;
  }
  process.stderr.write(mark);
  process.stdout.write(`${mark}${exitCode}\n`);
}
