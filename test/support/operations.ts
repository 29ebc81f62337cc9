/**
 * The operations of the API, for tests that try all of them. Their names, paths and statuses are in its description, and what
 * that does not say is in `notes`: a row where an operation takes a body, or is not for every key.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type * as fc from './fast-check.ts';
import type { Schema } from '../../src/api/description/components.ts';
import type { Operation } from '../../src/api/description/openapi-document.ts';
import { publishedDescription } from './checks/description.ts';
import { hostileBody } from './hostile/body.ts';
import { hostileOverviewQuery, hostileTimetableQuery } from './hostile/hostile.ts';
import { configs } from './records/channel-configs.ts';

interface Notes {
  /** A valid body; a function for one that names jobs of both workspaces, or differs each time. */
  body?: object | ((ownJobId: string, otherJobId: string) => object);
  /** An invalid body; as a text, an invalid query. */
  wrong?: object | string;
  /** A body above a limit that is lower than that of all bodies. */
  tooLong?: object;
  /** More valid bodies; `WRITE_KEY` and `WORKSPACE` stand for values that are known when they are sent. */
  bodies?: readonly object[];
  /** Random queries, valid ones among them. */
  query?: fc.Arbitrary<string>;
  /** Queries that make it another question. */
  queries?: readonly string[];
  /** Who besides a bad key is refused, with 403: keys that may only read, keys, or all but the owner. */
  only?: 'writers' | 'sessions' | 'owners';
  /** What a request that is no GET changes, unless it is jobs, monitors or channels. */
  changes?: 'nothing' | 'keys';
}

/** An operation inside the API. */
export interface ApiOperation extends Notes {
  name: string;
  method: string;
  /** With its parameters as `{id}`, `{runId}` and `{deliveryId}`. */
  path: string;
  /** The status of success. */
  success: number;
  /** Needs no key. */
  isOpen: boolean;
  /** Takes an `Idempotency-Key`. */
  isRepeatable: boolean;
  /** Describes an answer 402: the trial or the subscription has ended. */
  isRefusedUnpaid: boolean;
  /** A stream of events. */
  isEndless: boolean;
  /** Random bodies, valid ones among them; undefined if it takes none. */
  hostileBody: fc.Arbitrary<string | Buffer> | undefined;
}

/** An id of nothing. */
export const unknownId = '01a1fc58-a505-7000-bebc-059153f75def';

const newJob = { name: 'new', url: 'http://127.0.0.1:1/', paused: true };
const newChannel = {
  name: 'new',
  type: 'slack',
  config: { url: 'http://127.0.0.1:1/new' },
  enabled: false,
};
const longBody = { method: 'POST', body: 'x'.repeat(40_000) };

const notes: Readonly<Record<string, Notes>> = {
  createJob: {
    body: newJob,
    wrong: { ...newJob, periodSeconds: 30 },
    tooLong: { ...newJob, ...longBody },
  },
  updateJob: {
    body: { retries: 1 },
    wrong: { periodSeconds: 30 },
    tooLong: longBody,
  },
  reportRun: { body: { status: 'success' } },
  replayRun: { body: {}, bodies: [{ again: true }] },
  copyJob: { body: { name: 'copy' }, wrong: { name: ' ' } },
  createCalls: {
    body: () => ({ calls: [{ key: randomUUID(), ...newJob, inSeconds: 86_400 }] }),
    bodies: [
      {
        calls: [
          { key: 'k', ...newJob, runAt: '2026-11-26T02:30:00Z' },
          { key: 'k', url: '' },
        ],
      },
    ],
    wrong: { calls: Array.from({ length: 101 }, () => ({ key: 'k', url: newJob.url })) },
  },
  actOnJobs: {
    body: (own, other) => ({ action: 'delete', ids: [own, other] }),
    bodies: [{ action: 'resume', ids: [unknownId] }],
    wrong: { action: 'pause', ids: Array.from({ length: 101 }, () => unknownId) },
  },
  readCommand: {
    body: { text: 'curl https://example.com' },
    wrong: {},
    changes: 'nothing',
  },
  getDays: { wrong: '?days=0' },
  getDueTimes: { wrong: '?count=0' },
  explainJob: { wrong: '?at=yesterday' },
  listDefinitions: { queries: ['?kind=job', '?kind=monitor', '?kind=channel&show=all'] },
  applyDefinitions: {
    body: () => ({
      jobs: [{ key: `new-${randomUUID()}`, ...newJob }],
      monitors: [{ key: `new-${randomUUID()}`, name: 'new' }],
      channels: [{ key: `new-${randomUUID()}`, ...newChannel }],
    }),
    bodies: [
      { jobs: ['a', 'a.b_c-1'].map((key) => ({ key, ...newJob })) },
      { monitors: [{ key: 'a', adopt: unknownId, name: 'new' }], dryRun: true },
      { channels: [{ key: 'a', ...newChannel }], prune: true },
    ],
    tooLong: { mark: 'x'.repeat(1024 * 1024) },
    wrong: { jobs: Array.from({ length: 1_001 }, (_, index) => ({ ...newJob, key: `k${index}` })) },
  },
  createMonitor: {
    body: { name: 'new' },
    wrong: { name: 'a', periodSeconds: 30 },
  },
  updateMonitor: {
    body: { graceSeconds: 1 },
    wrong: { periodSeconds: 30 },
  },
  listOverviewJobs: {
    queries: ['', '?order=name', '?order=due'],
    query: hostileOverviewQuery,
  },
  listOverviewMonitors: { query: hostileOverviewQuery },
  getTimetable: {
    wrong: '?from=2025-10-09T05:30:00Z&to=2025-10-09T05:30:00Z',
    query: hostileTimetableQuery,
    queries: ['', '?from=2100-01-01T00:00:00Z&to=2100-01-02T00:00:00Z', '?q=nothing&limit=1'],
  },
  reportJobs: {
    wrong: '?month=November',
    queries: ['', '?month=2020-02&timezone=Asia/Tokyo&selector=client'],
  },
  reportMonitors: { wrong: '?month=November' },
  listReceipts: { wrong: '?month=November' },
  createChannel: {
    body: newChannel,
    bodies: Object.entries(configs).map(([type, config]) => ({ ...newChannel, type, config })),
    wrong: { ...newChannel, type: 'webhook', config: {} },
  },
  updateChannel: {
    body: { afterFailures: 7 },
    bodies: [{ config: newChannel.config, alsoOn: ['missed'], monitorIds: [] }],
    wrong: { config: {} },
  },
  createWindow: {
    body: { name: 'new', effect: 'mute', durationSeconds: 60 },
    bodies: [{ name: 'new', effect: 'mute', cronExpr: '0 22 * * *', durationSeconds: 60 }],
    wrong: { name: 'new', effect: 'mute' },
  },
  updateWindow: { body: { name: 'changed' }, bodies: [{ selector: 'a=b' }] },
  createBadge: {
    body: { name: 'new', selector: 'a=b' },
    bodies: [{ name: 'new' }],
    wrong: { name: ' ' },
  },
  previewSchedule: {
    body: {},
    wrong: { periodSeconds: 30 },
    changes: 'nothing',
  },
  signIn: {
    bodies: [{ key: 'WRITE_KEY' }, { code: '0'.repeat(32) }, { key: 'WRITE_KEY', code: '0' }],
    wrong: {},
  },
  getSession: { only: 'sessions' },
  moveSession: {
    body: { workspaceId: unknownId },
    bodies: [{ workspaceId: 'WORKSPACE' }],
    only: 'owners',
  },
  listKeys: { only: 'owners' },
  createKey: {
    body: { name: 'new', permission: 'read' },
    wrong: { name: '', permission: 'read' },
    changes: 'keys',
    only: 'owners',
  },
  revokeKey: { only: 'owners' },
  getAbout: { only: 'owners' },
  listAudit: { only: 'writers' },
};

/** Reads them, in the order of the description. */
export async function apiOperations(): Promise<ApiOperation[]> {
  const { paths, components } = await publishedDescription();
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers }]) => servers === undefined)
      .map(([method, operation]) => described(method, path, operation, components.schemas)),
  );
  const names = new Set(found.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(notes).filter((name) => !names.has(name)),
    [],
    'no such operation',
  );
  return found;
}

function described(
  method: string,
  path: string,
  { operationId: name, parameters, responses, security, requestBody }: Operation,
  schemas: Record<string, Schema>,
): ApiOperation {
  const success = Object.keys(responses).find((status) => status < '300') ?? '';
  const own = notes[name] ?? {};
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  const fixed = typeof own.body === 'object' ? [own.body] : [];
  const valid = [...fixed, ...(own.bodies ?? []), ...(example ? [example] : [])];
  return {
    name,
    method: method.toUpperCase(),
    path,
    success: Number(success),
    isOpen: security !== undefined,
    isRepeatable: parameters?.some((one) => one.name === 'Idempotency-Key') ?? false,
    isRefusedUnpaid: '402' in responses,
    isEndless: 'text/event-stream' in (responses[success]?.content ?? {}),
    hostileBody: schema && hostileBody(schema, schemas, valid),
    ...own,
  };
}
