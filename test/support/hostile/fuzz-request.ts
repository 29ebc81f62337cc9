/** Random requests of each operation, with errors in path, query, headers and body. */

import * as fc from 'fast-check';
import { hostileChannelInput, hostileChannelUpdate } from './hostile-channel.ts';
import {
  hostileActions,
  hostileCopy,
  hostileDefinitions,
  hostileJobInput,
  hostileJobUpdate,
  hostileMonitorInput,
  hostileMonitorUpdate,
  hostilePreviewInput,
} from './hostile-job.ts';
import {
  hostileHeader,
  hostileJson,
  hostileOverviewQuery,
  hostilePiece,
  hostileQuery,
} from './hostile.ts';
import type { RawRequest } from './keep-alive.ts';

/** An operation of the API; a path names its ids `:id`, `:runId`, `:monitorId`, `:channelId` and `:deliveryId`. */
export interface Operation {
  operation: string;
  method: string;
  path: string;
  /** The status of success; every other must be a documented error. */
  success: number;
  query?: fc.Arbitrary<string>;
  body?: fc.Arbitrary<string | Buffer>;
}

/** Every operation on jobs, runs and receipts, and the extensions that take input. */
export const operations: readonly Operation[] = [
  { operation: 'listJobs', method: 'GET', path: '/jobs', success: 200 },
  {
    operation: 'createJob',
    method: 'POST',
    path: '/jobs',
    success: 201,
    body: hostileJobInput,
  },
  { operation: 'getJob', method: 'GET', path: '/jobs/:id', success: 200 },
  {
    operation: 'updateJob',
    method: 'PATCH',
    path: '/jobs/:id',
    success: 200,
    body: hostileJobUpdate,
  },
  { operation: 'deleteJob', method: 'DELETE', path: '/jobs/:id', success: 200 },
  { operation: 'runJob', method: 'POST', path: '/jobs/:id/run', success: 202 },
  { operation: 'listRuns', method: 'GET', path: '/jobs/:id/runs', success: 200 },
  { operation: 'getRun', method: 'GET', path: '/jobs/:id/runs/:runId', success: 200 },
  { operation: 'listHistory', method: 'GET', path: '/jobs/:id/history', success: 200 },
  { operation: 'getDays', method: 'GET', path: '/jobs/:id/days', success: 200 },
  { operation: 'getDueTimes', method: 'GET', path: '/jobs/:id/due-times', success: 200 },
  {
    operation: 'copyJob',
    method: 'POST',
    path: '/jobs/:id/copy',
    success: 201,
    body: hostileCopy,
  },
  {
    operation: 'actOnJobs',
    method: 'POST',
    path: '/jobs/actions',
    success: 200,
    body: hostileActions,
  },
  { operation: 'getReceipt', method: 'GET', path: '/jobs/:id/runs/:runId/receipt', success: 200 },
  { operation: 'getReceiptKey', method: 'GET', path: '/receipts/key', success: 200 },
  { operation: 'listAudit', method: 'GET', path: '/audit', success: 200 },
  { operation: 'listManagedJobs', method: 'GET', path: '/managed-jobs', success: 200 },
  {
    operation: 'applyDefinitions',
    method: 'POST',
    path: '/managed-jobs',
    success: 200,
    body: hostileDefinitions,
  },
  { operation: 'listMonitors', method: 'GET', path: '/monitors', success: 200 },
  {
    operation: 'createMonitor',
    method: 'POST',
    path: '/monitors',
    success: 201,
    body: hostileMonitorInput,
  },
  { operation: 'getMonitor', method: 'GET', path: '/monitors/:monitorId', success: 200 },
  {
    operation: 'updateMonitor',
    method: 'PATCH',
    path: '/monitors/:monitorId',
    success: 200,
    body: hostileMonitorUpdate,
  },
  { operation: 'deleteMonitor', method: 'DELETE', path: '/monitors/:monitorId', success: 200 },
  { operation: 'listPings', method: 'GET', path: '/monitors/:monitorId/pings', success: 200 },
  { operation: 'getOverview', method: 'GET', path: '/overview', success: 200 },
  {
    operation: 'listOverviewJobs',
    method: 'GET',
    path: '/overview/jobs',
    success: 200,
    query: hostileOverviewQuery,
  },
  {
    operation: 'listOverviewMonitors',
    method: 'GET',
    path: '/overview/monitors',
    success: 200,
    query: hostileOverviewQuery,
  },
  { operation: 'listTrouble', method: 'GET', path: '/overview/trouble', success: 200 },
  { operation: 'listChannels', method: 'GET', path: '/channels', success: 200 },
  {
    operation: 'createChannel',
    method: 'POST',
    path: '/channels',
    success: 201,
    body: hostileChannelInput,
  },
  { operation: 'getChannel', method: 'GET', path: '/channels/:channelId', success: 200 },
  {
    operation: 'updateChannel',
    method: 'PATCH',
    path: '/channels/:channelId',
    success: 200,
    body: hostileChannelUpdate,
  },
  { operation: 'deleteChannel', method: 'DELETE', path: '/channels/:channelId', success: 200 },
  { operation: 'testChannel', method: 'POST', path: '/channels/:channelId/test', success: 202 },
  {
    operation: 'listDeliveries',
    method: 'GET',
    path: '/channels/:channelId/deliveries',
    success: 200,
  },
  {
    operation: 'getDelivery',
    method: 'GET',
    path: '/channels/:channelId/deliveries/:deliveryId',
    success: 200,
  },
  {
    operation: 'previewSchedule',
    method: 'POST',
    path: '/schedule/preview',
    success: 200,
    body: hostilePreviewInput,
  },
];

/** A job, a run of it, and a monitor and a channel with a delivery beside it. */
export interface KnownIds {
  id: string;
  runId: string;
  monitorId: string;
  channelId: string;
  deliveryId: string;
}

/** The source of ids and keys in random requests. */
export interface Known {
  /** Jobs of the key's workspace with a run, a monitor and a channel each, and of another workspace. */
  own: readonly KnownIds[];
  foreign: readonly KnownIds[];
  keys: { write: string; read: string; foreign: string };
}

/** A request made from the ids known when it is sent. */
export type Draft = (known: Known) => RawRequest;

type Pick = (known: Known) => string;

/** An id is mostly of an existing job, and then its run mostly belongs to it. */
function idOf(part: keyof KnownIds, index: number): fc.Arbitrary<Pick> {
  const at = (jobs: Known['own'], place: number): string =>
    jobs[place % jobs.length]?.[part] ?? 'none';
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant<Pick>(({ own }) => at(own, index)) },
    {
      weight: 1,
      arbitrary: fc.nat(1_000).map(
        (place): Pick =>
          ({ own }) =>
            at(own, place),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.nat(1_000).map(
        (place): Pick =>
          ({ foreign }) =>
            at(foreign, place),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Pick>(({ own }) => at(own, index).toUpperCase()) },
    {
      weight: 1,
      arbitrary: fc.uuid().map(
        (id): Pick =>
          () =>
            id,
      ),
    },
    {
      weight: 3,
      arbitrary: hostilePiece.map(
        (piece): Pick =>
          () =>
            piece,
      ),
    },
  );
}

const keyNames = fc.oneof(
  { weight: 12, arbitrary: fc.constant('write' as const) },
  { weight: 1, arbitrary: fc.constantFrom('read' as const, 'foreign' as const) },
);

const authorization: fc.Arbitrary<(known: Known) => string | string[] | undefined> = fc.oneof(
  {
    weight: 14,
    arbitrary: keyNames.map(
      (name) =>
        ({ keys }: Known) =>
          `Bearer ${keys[name]}`,
    ),
  },
  { weight: 1, arbitrary: fc.constant(() => undefined) },
  { weight: 1, arbitrary: hostileHeader.map((value) => () => value) },
  { weight: 1, arbitrary: hostileHeader.map((value) => () => `Bearer ${value}`) },
  {
    weight: 1,
    arbitrary: fc.constant(({ keys }: Known) => [`Bearer ${keys.read}`, `Bearer ${keys.write}`]),
  },
);

const contentType = fc.oneof(
  { weight: 14, arbitrary: fc.constant('application/json') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-8',
      'application/json;charset=utf-16',
      'APPLICATION/JSON',
      'application/json, text/plain',
      'text/plain',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      ';;;',
    ),
  },
  { weight: 1, arbitrary: hostileHeader },
);

const otherHeaders = fc.dictionary(
  fc.constantFrom(
    'idempotency-key',
    'accept',
    'accept-encoding',
    'content-encoding',
    'origin',
    'cookie',
    'if-none-match',
    'range',
    'x-http-method-override',
    'x-forwarded-for',
    '__proto__x',
  ),
  hostileHeader,
  { maxKeys: 3 },
);

const noBody = fc.constant(null);
const bodyNobodyAsksFor = fc.oneof({ weight: 8, arbitrary: noBody }, hostileJson);

/** Requests of one operation, the valid ones among them. */
export function draftsOf({ method, path, query, body }: Operation): fc.Arbitrary<Draft> {
  const parts = fc.nat(1_000).chain((index) =>
    fc.record({
      id: idOf('id', index),
      runId: idOf('runId', index),
      monitorId: idOf('monitorId', index),
      channelId: idOf('channelId', index),
      deliveryId: idOf('deliveryId', index),
      query: query ?? hostileQuery,
      authorization,
      contentType,
      otherHeaders,
      body: body ?? bodyNobodyAsksFor,
    }),
  );
  return parts.map(
    ({ id, runId, monitorId, channelId, deliveryId, query: asked, ...rest }) =>
      (known) => {
        const filled = path
          .replace(':id', () => id(known))
          .replace(':runId', () => runId(known))
          .replace(':monitorId', () => monitorId(known))
          .replace(':channelId', () => channelId(known))
          .replace(':deliveryId', () => deliveryId(known));
        return sent(method, `/api/v1${filled}${asked}`, rest, known);
      },
  );
}

const step = fc.oneof(
  fc.constantFrom(
    'api',
    'v1',
    'v2',
    'jobs',
    'runs',
    'run',
    'receipts',
    'key',
    'receipt',
    'schedule',
    'managed-jobs',
    'preview',
    'history',
    'days',
    'due-times',
    'copy',
    'actions',
    'healthz',
    'monitors',
    'ping',
    'pings',
    'start',
    'deliveries',
    'test',
  ),
  fc.constantFrom('', '..', 'openapi.json', 'me', 'channels', 'overview', 'trouble'),
  hostilePiece,
);

/** Requests of any method to anywhere on the site. */
export const draftsOfAnywhere: fc.Arbitrary<Draft> = fc
  .record({
    method: fc.constantFrom(
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
    ),
    start: fc.constantFrom(
      '/',
      '/api/v1/',
      '/api/v1/jobs/',
      '/ping/',
      '//',
      '/API/V1/',
      '*',
      'http://a/',
    ),
    steps: fc.array(step, { maxLength: 5 }),
    query: hostileQuery,
    authorization,
    contentType,
    otherHeaders,
    body: bodyNobodyAsksFor,
  })
  .map(
    ({ method, start, steps, query, ...rest }) =>
      (known) =>
        sent(method, `${start}${steps.join('/')}${query}`, rest, known),
  );

interface Rest {
  authorization: (known: Known) => string | string[] | undefined;
  contentType: string;
  otherHeaders: Record<string, string>;
  body: string | Buffer | null;
}

function sent(method: string, path: string, rest: Rest, known: Known): RawRequest {
  const authorized = rest.authorization(known);
  return {
    method,
    path,
    headers: {
      ...rest.otherHeaders,
      ...(rest.body !== null && { 'content-type': rest.contentType }),
      ...(authorized !== undefined && { authorization: authorized }),
    },
    body: rest.body,
  };
}
