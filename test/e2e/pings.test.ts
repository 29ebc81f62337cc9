/** A flood of pings to the packaged executable, with a kill in the middle. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PingList } from '../../src/api/monitors/contract.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { jobd, notPackaged, serve } from '../support/running/executable.ts';
import { ping, type PingedMonitor } from '../support/records/monitor.ts';

/** Pings in flight at once. */
const parallel = 50;
const killAfter = 400;
/** More than are answered before the kill, fewer than the monitors keep. */
const pings = 900;
/** Fewer pings go to each monitor than are stored at any speed. */
const names = ['a', 'b', 'c', 'd'];

test(
  'every answered ping is stored once after a kill, and pings continue',
  { skip: notPackaged },
  async (t) => {
    const directory = temporaryDirectory(t);
    const args = ['--data', directory];
    const first = await serve(t, args, directory);
    const created = await jobd(['key', 'create', '--data', directory]);
    const JOBD_API_KEY = created.stdout.trim();
    const ask = async <T>(url: string, ...words: string[]): Promise<T> => {
      const ran = await jobd([...words, '--json'], { JOBD_URL: url, JOBD_API_KEY });
      assert.equal(ran.exitCode, 0, ran.stderr);
      return JSON.parse(ran.stdout) as T;
    };
    const monitors: PingedMonitor[] = [];
    for (const name of names) {
      const words = ['monitors', 'create', '--name', name, '--every', '1h'];
      monitors.push((await ask<{ monitor: PingedMonitor }>(first.url, ...words)).monitor);
    }

    const answered: string[] = [];
    let sent = 0;
    let stopped: Promise<unknown> | undefined;
    const send = async (): Promise<void> => {
      while (sent < pings && stopped === undefined) {
        sent += 1;
        const body = `ping ${sent}`;
        const url = monitors[sent % monitors.length]?.pingUrl ?? '';
        const answer = await ping(url, { method: 'POST', body }).catch(() => null);
        if (answer?.status === 200) answered.push(body);
        if (answered.length >= killAfter) stopped ??= first.stop('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: parallel }, send));
    await stopped;
    assert.ok(answered.length >= killAfter && answered.length < pings, `${answered.length}`);

    const second = await serve(t, args, directory);
    const kept: string[] = [];
    const headers = { authorization: `Bearer ${JOBD_API_KEY}` };
    for (const { id } of monitors) {
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const path = `/api/v1/monitors/${id}/pings?limit=100${query}`;
        const response = await fetch(second.url + path, { headers });
        const page = (await response.json()) as PingList;
        kept.push(...page.pings.map(({ body }) => body ?? ''));
        cursor = page.nextCursor;
      } while (cursor !== null && kept.length <= pings);
    }

    const found = new Set(kept);
    const lost = answered.filter((body) => !found.has(body));
    assert.equal(found.size, kept.length, 'none is there twice');
    assert.deepEqual(lost, [], 'none that was answered is lost');
    t.diagnostic(`${sent} sent, ${answered.length} answered, ${kept.length} kept`);

    const again = (monitors[0]?.pingUrl ?? '').replace(first.url, second.url);
    assert.equal((await ping(again)).status, 200);
    const read = await ask<{ monitor: PingedMonitor }>(second.url, 'monitors', 'get', 'a');
    assert.equal(read.monitor.status, 'up');
  },
);
