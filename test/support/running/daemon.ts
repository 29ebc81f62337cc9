/** A complete jobd in the test's process: real store, real sockets, real clock by default. */

import type { TestContext } from 'node:test';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { serveConfig, type Flags } from '../../../src/settings/config.ts';
import { startDaemon } from '../../../src/serve/daemon.ts';
import { databaseFor, openTestLocal, testSecretKey } from './local.ts';
import { systemClock, type Clock } from '../../../src/domain/clock.ts';
import type { Permission } from '../../../src/domain/accounts/key.ts';
import { openLog, type Log } from '../../../src/base/log.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { assertConforms } from '../checks/conformance.ts';
import { seed, seededRandom } from '../dice.ts';
import { temporaryDirectory } from '../directory.ts';
import { untilFullHourIsFar } from '../full-hour.ts';
import { fakeClock, steadyClock, type FakeClock } from '../fakes/clock.ts';
import { limitsFollow } from '../postgres/admissions.ts';
import { bearer, send } from './send.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read it as a client would
  body: any;
}

export interface TestDaemon {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
  dataDir: string;
  /** A key of the default workspace with write permission. */
  key: string;
  newKey: (permission: Permission) => Promise<string>;
  /**
   * Calls the API; `body` is sent as JSON. The default key is used unless another or null is given.
   * The response must match the published description.
   */
  ask: (method: string, path: string, body?: unknown, key?: string | null) => Promise<Answer>;
  /** Makes the limits of keys follow the clock, where requests are not sent by `ask`, which does so. */
  followClock: () => Promise<void>;
  /** Calls what is outside the API, without a key. The response must match the published description. */
  askSite: (method: string, path: string) => Promise<Answer>;
  /** Stops it before the test ends. */
  stop: () => Promise<void>;
}

/** Starts it, in a new directory unless one is given; it stops with the test. Targets on 127.0.0.1 may be called. */
export async function startTestDaemon(
  t: TestContext,
  options: { dataDir?: string; clock?: Clock; flags?: Flags; log?: Log } = {},
): Promise<TestDaemon> {
  const dataDir = options.dataDir ?? temporaryDirectory(t);
  const clock = options.clock ?? systemClock;
  if (options.clock === undefined) await untilFullHourIsFar();
  const database = await databaseFor(dataDir);
  const config = serveConfig(
    {
      ...(database === null ? { data: dataDir } : { database }),
      port: '0',
      allowTarget: ['127.0.0.1/32:*'],
      ...options.flags,
    },
    database === null ? {} : { JOBD_SECRET_KEY: testSecretKey },
  );
  const daemon = await startDaemon(config, options.log ?? openLog('silent'), {
    ...(options.clock && { clock: options.clock }),
    random: seededRandom(seed),
    // In the thread of the test: starting one costs more than most tests.
    startEgress: createEgress,
  });
  t.after(() => daemon[Symbol.asyncDispose]());

  const newKey = async (permission: Permission): Promise<string> => {
    await using local = await openTestLocal(dataDir, clock);
    const made = await createKey(local, { workspace: 'default', permission, name: '' });
    return made.secret;
  };
  const key = await newKey('write');
  const followClock = database === null ? async () => {} : limitsFollow(t, clock, database);
  return {
    url: daemon.url,
    dataDir,
    key,
    newKey,
    async ask(method, path, body, askingKey = key) {
      await followClock();
      return await ask(`${daemon.url}/api/v1${path}`, method, body, askingKey);
    },
    followClock,
    stop: async () => await daemon[Symbol.asyncDispose](),
    askSite: (method, path) => ask(`${daemon.url}${path}`, method, undefined, null),
  };
}

/** A daemon with a clock that only moves when told to. */
export interface ClockedDaemon extends TestDaemon {
  clock: FakeClock;
  /** All of it, for helpers that take one. */
  daemon: TestDaemon;
}

/** Starts it at this time, or that of `fakeClock`. */
export async function startClockedDaemon(
  t: TestContext,
  at?: number | string,
  clockOf: (clock: FakeClock) => Clock = (clock) => clock,
): Promise<ClockedDaemon> {
  const clock = fakeClock(at);
  const daemon = await startTestDaemon(t, { clock: clockOf(clock) });
  return { ...daemon, daemon, clock };
}

/** The same with a clock whose durations follow its wall time. */
export async function startSteadyDaemon(
  t: TestContext,
  at?: number | string,
): Promise<ClockedDaemon> {
  return await startClockedDaemon(t, at, steadyClock);
}

async function ask(
  url: string,
  method: string,
  body: unknown,
  key: string | null,
): Promise<Answer> {
  return await readAnswer(method, await send(url, method, body, key === null ? {} : bearer(key)));
}

/** Reads an API response of any client, and asserts that it matches the description. */
export async function readAnswer(method: string, response: Response): Promise<Answer> {
  const { status, headers, url } = response;
  const text = await response.text();
  const isJson = headers.get('content-type')?.includes('json') !== false;
  const answer: Answer = { status, headers, body: isJson ? JSON.parse(text) : text };
  await assertConforms({ method, url }, answer);
  return answer;
}
