/**
 * The operations of the API, for tests that try all of them. Their names, paths and statuses are in its description, and what
 * that does not say is in `notes`, a row for each operation. One without a row needs a key, and takes no body.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type * as fc from './fast-check.ts';
import type { Operation } from '../../src/api/description/openapi-document.ts';
import { publishedDescription } from './checks/description.ts';
import { hostileChannelInput, hostileChannelUpdate } from './hostile/hostile-channel.ts';
import {
  hostileActions,
  hostileCommand,
  hostileCopy,
  hostileDefinitions,
  hostileEndOfWait,
  hostileJobInput,
  hostileJobUpdate,
  hostileMonitorInput,
  hostileMonitorUpdate,
  hostilePreviewInput,
} from './hostile/hostile-job.ts';
import { hostileKeyInput, hostileMove, hostileSignIn } from './hostile/hostile-sign-in.ts';
import { hostileOverviewQuery } from './hostile/hostile.ts';

interface Notes {
  /** A valid body; a function for one that names jobs of both workspaces, or differs each time. */
  body?: object | ((ownJobId: string, otherJobId: string) => object);
  /** An invalid body; as a text, an invalid query. */
  wrong?: object | string;
  /** A body above a limit that is lower than that of all bodies. */
  tooLong?: object;
  /** Random bodies and queries, valid ones among them. */
  hostile?: { body?: fc.Arbitrary<string | Buffer>; query?: fc.Arbitrary<string> };
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
  /** A stream of events. */
  isEndless: boolean;
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

/** An operation that applies definitions, of which 100 are taken. */
function applying(noun: string, input: object, hostileInput: fc.Arbitrary<string | Buffer>): Notes {
  const tooMany = Array.from({ length: 101 }, (_, index) => ({ key: `k${index}`, [noun]: null }));
  return {
    body: () => ({ definitions: [{ key: `new-${randomUUID()}`, [noun]: input }] }),
    wrong: { definitions: tooMany },
    hostile: { body: hostileDefinitions(noun, hostileInput) },
  };
}

const notes: Readonly<Record<string, Notes>> = {
  createJob: {
    body: newJob,
    wrong: { ...newJob, periodSeconds: 30 },
    tooLong: { ...newJob, ...longBody },
    hostile: { body: hostileJobInput },
  },
  updateJob: {
    body: { retries: 1 },
    wrong: { periodSeconds: 30 },
    tooLong: longBody,
    hostile: { body: hostileJobUpdate },
  },
  completeRun: { body: { status: 'success' }, hostile: { body: hostileEndOfWait } },
  copyJob: { body: { name: 'copy' }, wrong: { name: ' ' }, hostile: { body: hostileCopy } },
  actOnJobs: {
    body: (own, other) => ({ action: 'delete', ids: [own, other] }),
    wrong: { action: 'pause', ids: Array.from({ length: 101 }, () => unknownId) },
    hostile: { body: hostileActions },
  },
  readCommand: {
    body: { text: 'curl https://example.com' },
    wrong: {},
    hostile: { body: hostileCommand },
    changes: 'nothing',
  },
  getDays: { wrong: '?days=0' },
  getDueTimes: { wrong: '?count=0' },
  explainJob: { wrong: '?at=yesterday' },
  listManagedChannels: { queries: ['?show=all'] },
  applyJobDefinitions: applying('job', newJob, hostileJobInput),
  applyMonitorDefinitions: applying('monitor', { name: 'new' }, hostileMonitorInput),
  applyChannelDefinitions: applying('channel', newChannel, hostileChannelInput),
  createMonitor: {
    body: { name: 'new' },
    wrong: { name: 'a', periodSeconds: 30 },
    hostile: { body: hostileMonitorInput },
  },
  updateMonitor: {
    body: { graceSeconds: 1 },
    wrong: { periodSeconds: 30 },
    hostile: { body: hostileMonitorUpdate },
  },
  listOverviewJobs: {
    queries: ['', '?order=name', '?order=due'],
    hostile: { query: hostileOverviewQuery },
  },
  listOverviewMonitors: { hostile: { query: hostileOverviewQuery } },
  createChannel: {
    body: newChannel,
    wrong: { ...newChannel, type: 'webhook', config: {} },
    hostile: { body: hostileChannelInput },
  },
  updateChannel: {
    body: { afterFailures: 7 },
    wrong: { config: {} },
    hostile: { body: hostileChannelUpdate },
  },
  previewSchedule: {
    body: {},
    wrong: { periodSeconds: 30 },
    hostile: { body: hostilePreviewInput },
    changes: 'nothing',
  },
  signIn: { wrong: {}, hostile: { body: hostileSignIn } },
  getSession: { only: 'sessions' },
  moveSession: {
    body: { workspaceId: unknownId },
    hostile: { body: hostileMove },
    only: 'owners',
  },
  listKeys: { only: 'owners' },
  createKey: {
    body: { name: 'new', permission: 'read' },
    wrong: { name: '', permission: 'read' },
    hostile: { body: hostileKeyInput },
    changes: 'keys',
    only: 'owners',
  },
  revokeKey: { only: 'owners' },
  getAbout: { only: 'owners' },
  listAudit: { only: 'writers' },
};

/** Reads them, in the order of the description. */
export async function apiOperations(): Promise<ApiOperation[]> {
  const { paths } = await publishedDescription();
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers }]) => servers === undefined)
      .map(([method, operation]) => described(method, path, operation)),
  );
  const names = new Set(found.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(notes).filter((name) => !names.has(name)),
    [],
    'no such operation',
  );
  return found;
}

function described(method: string, path: string, operation: Operation): ApiOperation {
  const { operationId: name, responses, security, requestBody } = operation;
  const success = Object.keys(responses).find((status) => status < '300') ?? '';
  const own = notes[name] ?? {};
  assert.ok(
    requestBody === undefined || own.hostile?.body !== undefined,
    `${name} takes a body: give it a row in test/support/operations.ts`,
  );
  return {
    name,
    method: method.toUpperCase(),
    path,
    success: Number(success),
    isOpen: security !== undefined,
    isEndless: 'text/event-stream' in (responses[success]?.content ?? {}),
    ...own,
  };
}
