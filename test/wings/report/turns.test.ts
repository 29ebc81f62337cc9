/** Whoever asks for many reports at once is refused before they are read (docs/behavior.md#month-2). */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kysely } from 'kysely';
import type { ApiServer } from '../../../src/api/http/fastify.ts';
import type { RequestLimits } from '../../../src/api/http/limits/request-limits.ts';
import { reportRoutes } from '../../../src/wings/report/routes.ts';
import { dialectOn } from '../../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../../src/store/sqlite/file.ts';
import type { Schema } from '../../../src/store/database/schema.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';

type Handler = (request: object, answer: object) => Promise<unknown>;

test('reports of a workspace are read one after the other, and none once nothing is left', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const clock = fakeClock('2026-03-02T10:00:00Z');
  await addJob();
  let statements = 0;
  const db = new Kysely<Schema>({
    dialect: dialectOn(openDatabase(join(dataDir, 'jobd.db'))),
    log: () => void (statements += 1),
  });
  t.after(() => db.destroy());
  const app = quietApp({ store: { ...store, db }, clock });
  let left = 3;
  const asked: number[] = [];
  const count = async (_: unknown, requests = 1) => {
    asked.push(statements);
    left -= requests;
    return { isAdmitted: left >= 0, remaining: Math.max(0, left), moreInMs: 1_000 };
  };
  const handlers = new Map<string, Handler>();
  const get = (path: string, _: unknown, handler: Handler) => handlers.set(path, handler);
  const limits = { count } as unknown as RequestLimits;
  reportRoutes({ get } as unknown as ApiServer, app, { limits, siteUrl: () => '' });
  const ask = handlers.get('/report/jobs');
  assert.ok(ask !== undefined);
  const request = { principal: writerIn(workspaceId), query: { month: '2026-02' } };
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, () => ask(request, { headers: () => {}, raw: new EventEmitter() })),
  );
  const read = answers.filter(({ status }) => status === 'fulfilled');
  assert.equal(read.length, 3);
  const each = statements / 3;
  assert.ok(each >= 1, `${statements} statements`);
  const before = [0, each, 2 * each, ...Array.from({ length: 17 }, () => 3 * each)];
  assert.deepEqual(asked, before, 'each begins once those before it have ended');
});
