/** A jobd to look around in: a directory of its own, a target on this machine, and a month of history. All of it goes with the process. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from '../../app/accounts/keys.ts';
import { createSignInLink } from '../../app/accounts/sign-in.ts';
import type { ChannelResponse } from '../../api/alerts/contract.ts';
import type { JobResponse } from '../../api/jobs/contract.ts';
import type { MonitorResponse } from '../../api/monitors/contract.ts';
import { createAsker, sendPing } from '../../cli/client/client.ts';
import { reportAfter } from '../../cli/operator/demo.ts';
import { programName } from '../../cli/operator/program-name.ts';
import { systemClock } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Demo } from '../../serve/house.ts';
import { openLocal } from '../../serve/local-store.ts';
import { serveConfig, type Flags } from '../../settings/config.ts';
import { addHistory } from './history.ts';

const host = '127.0.0.1';
/** How long the target takes, at most. */
const slowestMs = 300;

const weekly = { cronExpr: '0 1 * * SUN', timezone: 'Europe/Paris', durationSeconds: 14_400 };

/** Settings that a demo takes. What else is set, also in the environment, is for a jobd that is in earnest. */
const taken = ['demo', 'port', 'host', 'logLevel', 'logFormat'];

/** Prepares it. Throws `invalid_input` for settings that it cannot have. */
export async function prepareDemo(flags: Flags): Promise<Demo> {
  const others = Object.keys(flags).filter((name) => !taken.includes(name));
  if (others.length > 0) {
    throw invalidInput(
      '--demo keeps nothing: it goes with --port, --host and the options of the log alone',
    );
  }
  await using parts = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), 'jobd-demo-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  parts.defer(remove);
  parts.use(beforeSecondSignal(remove));
  const port = await startTarget(parts);
  const { demo: _, ...rest } = flags;
  const own = { data: dataDir, allowTarget: [`${host}:${port}`] };
  const config = serveConfig({ logLevel: 'error', port: '0', ...rest, ...own }, {});
  const made = parts.move();
  return {
    config,
    fill: (url) => fill(dataDir, url, port),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

/** Does it before a second SIGINT or SIGTERM, which ends the process at once. */
function beforeSecondSignal(work: () => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!isAsked) return void (isAsked = true);
    stop();
    work();
    process.kill(process.pid, signal);
  };
  const stop = (): void => signals.forEach((signal) => process.off(signal, onSignal));
  for (const signal of signals) process.on(signal, onSignal);
  return { [Symbol.dispose]: stop };
}

/** How often in 256 a path fails that fails now and then. */
const flaky: Readonly<Record<string, number>> = {
  '/madrid': 256,
  '/depth': 4,
  '/health': 4,
  '/send': 4,
};

/** A target that answers after a moment, or reports then what takes longer. */
async function startTarget(parts: AsyncDisposableStack): Promise<number> {
  const server = createServer((request, response) => {
    const { 'x-service-run-id': runId = '', 'x-service-report-url': reportTo } = request.headers;
    const [dice = 0, pace = 0] = [String(runId).slice(-2), String(runId).slice(-4, -2)].map(
      (text) => Number.parseInt(text, 16) || 0,
    );
    request.resume();
    const afterMs = (pace / 256) * slowestMs;
    const isBad = dice < (flaky[request.url ?? ''] ?? 0);
    if (typeof reportTo === 'string') {
      response.writeHead(202).end('will report\n');
      return reportAfter(reportTo, afterMs);
    }
    const timer = setTimeout(
      () => response.writeHead(isBad ? 503 : 200).end(isBad ? 'down for maintenance\n' : 'ok\n'),
      afterMs,
    );
    response.once('close', () => clearTimeout(timer));
  });
  server.listen({ host, port: 0 });
  await once(server, 'listening');
  parts.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function fill(dataDir: string, url: string, port: number): Promise<string> {
  await using local = await openLocal({ dataDir, database: null });
  const workspace = 'default';
  const { secret } = await createKey(local, { workspace, name: 'demo', permission: 'write' });
  const ask = createAsker({ url, apiKey: secret });
  const create = async (job: object) => (await ask<JobResponse>('POST', '/jobs', job)).job.id;
  const urlOf = (name: string, path: string): string => `http://${name}.localhost:${port}/${path}`;
  const nowMs = systemClock.now();
  const today = new Date(nowMs);
  // All of last month is in the report, wherever that begins.
  const beginMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 0);
  await addHistory(local.store, create, { nowMs, beginMs, urlOf });
  const nightly = { name: 'Dump of db-1', cronExpr: '0 2 * * *', timezone: 'Europe/Paris' };
  const notes = 'crontab of root on db-1';
  const watched = await ask<MonitorResponse>('POST', '/monitors', {
    ...nightly,
    scheduleType: 'cron',
    notes,
  });
  await sendPing(watched.monitor.pingUrl ?? url, { body: null, timeoutMs: 10_000 });
  const chat = { name: 'New chat', type: 'webhook', config: { url: urlOf('chat', 'alerts') } };
  const { channel } = await ask<ChannelResponse>('POST', '/channels', chat);
  await ask('POST', `/channels/${channel.id}/test`);
  const work = { name: 'Database maintenance', effect: 'mute', selector: 'team=db' };
  await ask('POST', '/windows', { ...work, ...weekly });
  const move = { name: 'Staging moves', effect: 'hold', selector: 'team=staging' };
  await ask('POST', '/windows', { ...move, durationSeconds: 28_800 });
  await ask('POST', '/badges', { name: 'shops', selector: 'team=stock' });
  const access = { workspace, permission: 'write', isOwner: true } as const;
  const link = await createSignInLink(local, { ...access, validMs: 3_600_000 });
  return [
    'a demo: what is in it calls this machine alone, and all of it is gone when it stops (Ctrl-C)',
    `look around: ${link.url}`,
    `or: export JOBD_URL=${url} JOBD_API_KEY=${secret}`,
    `    ${programName()} status`,
    '',
  ].join('\n');
}
