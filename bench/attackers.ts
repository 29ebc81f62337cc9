/** Clients of jobd that do all they may, and strangers that do more: started by attack.ts. Each kind sends a bounded number of requests. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface AttackSetting {
  url: string;
  /** A key with write of a tenant. */
  key: string;
  seconds: number;
  /** Requests a second of strangers. */
  flood: number;
}

/** How many answers of each status an attack got. */
export type Attacked = Record<string, Record<string, number>>;

const [given = '{}'] = process.argv.slice(2);
const { url, key, seconds, flood } = JSON.parse(given) as AttackSetting;
const until = performance.now() + seconds * 1_000;
const answers: Attacked = {};
const api = `${url}/api/v1`;

async function send(attack: string, address: string, init: RequestInit = {}): Promise<number> {
  let status = 0;
  try {
    const response = await fetch(address, { ...init, signal: AbortSignal.timeout(60_000) });
    await response.body?.cancel();
    ({ status } = response);
  } catch {
    // Counted as 0: the connection was closed.
  }
  const counts = (answers[attack] ??= {});
  counts[status] = (counts[status] ?? 0) + 1;
  return status;
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Goes on until the time is over; waits where the server refuses more. */
async function repeat(once: (round: number) => Promise<number>, pauseMs: number): Promise<void> {
  for (let round = 0; performance.now() < until; round += 1) {
    const status = await once(round);
    await setTimeout(status === 429 || status === 0 ? 500 : pauseMs);
  }
}

const commands = [
  (index: number) => `a${index}=\n`,
  (index: number) => `a${index}=\n* * * * * x\n`,
  (index: number) => `-Ha${index}:b -Hb${index}: `,
  () => '{',
  () => ':~',
];

function hostileCommand(round: number): string {
  const make = commands[round % commands.length] ?? String;
  const head = round % commands.length < 2 ? '' : 'curl http://x.example ';
  return (head + Array.from({ length: 4_000 }, (_, index) => make(index)).join('')).slice(0, 8_192);
}

const unknownZones = (round: number): object => ({
  dryRun: true,
  jobs: Array.from({ length: 100 }, (_, index) => ({
    key: `d${index}`,
    name: 'd',
    url: 'http://127.0.0.1:1/',
    timezone: `Xq${round}x${index}abcdefghijklmnop`,
  })),
});

/** Answers what repeats the secrets of the jobs, and keeps the URLs for reports. */
async function startTarget(): Promise<{ origin: string; reports: string[] }> {
  const reports: string[] = [];
  const server = createServer((request, response) => {
    const report = request.headers['x-service-report-url'];
    if (typeof report === 'string') reports.push(report);
    response.writeHead(report === undefined ? 200 : 202).end('a'.repeat(4_096));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reports };
}

const { origin, reports } = await startTarget();
const cookie = Array.from({ length: 160 }, (_, index) => `c=${'a'.repeat(8 + index)}`).join('; ');
const everyMinute = { url: `${origin}/a`, cronExpr: '* * * * *', headers: { cookie } };
for (let index = 0; index < 20; index += 1) {
  await send('jobs', `${api}/jobs`, post({ name: `r${index}`, ...everyMinute }));
}
for (let index = 0; index < 5; index += 1) {
  const later = { name: `w${index}`, ...everyMinute, reportWithinSeconds: 3_600 };
  await send('jobs', `${api}/jobs`, post(later));
}
/** One of several connections of strangers, so many requests a second together. */
const floodOf = (attack: string, paths: readonly string[]) =>
  Array.from({ length: 8 }, () =>
    repeat(
      (round) => send(attack, `${url}${paths[round % paths.length]}`),
      (8 * 2 * 1_000) / flood,
    ),
  );
await Promise.all([
  repeat(
    (round) =>
      send('read-command', `${api}/jobs/read-command`, post({ text: hostileCommand(round) })),
    0,
  ),
  repeat((round) => send('dry runs', `${api}/definitions`, post(unknownZones(round))), 0),
  ...floodOf('unknown paths', ['/api/v1/jobs', '/unknown']),
  ...floodOf('documents', [
    '/',
    '/docs',
    '/.well-known/jwks.json',
    '/api/v1/openapi.json',
    '/healthz',
  ]),
  ...Array.from({ length: 10 }, (_, connection) =>
    repeat(async (round) => {
      const report = reports.at(-1 - ((round + connection) % 5));
      if (report === undefined) return 429;
      return await send('progress', `${report}/progress`, post({ message: 'a'.repeat(1_000) }));
    }, 20),
  ),
]);
process.send?.({ kind: 'attacked', answers });
process.disconnect();
