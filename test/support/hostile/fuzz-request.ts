/** Random requests of each operation, with errors in path, query, headers and body. */

import assert from 'node:assert/strict';
import * as fc from '../fast-check.ts';
import { hostileHeader, hostileJson, hostilePiece, hostileQuery } from './hostile.ts';
import type { ApiOperation } from '../operations.ts';
import type { RawRequest } from './keep-alive.ts';

/** The headers of the owner's page. */
export interface Owner {
  cookie: string;
  'x-jobd-workspace': string;
}

/** The headers of the owner's page instead of a key, mostly. */
const ownerHeaders: fc.Arbitrary<((owner: Owner) => Record<string, string>) | null> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((owner: Owner) => ({ ...owner })) },
  { weight: 1, arbitrary: fc.constant(({ cookie }: Owner) => ({ cookie })) },
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: hostileHeader.map((value) => (owner: Owner) => ({
      ...owner,
      cookie: `${owner.cookie};${value}`,
    })),
  },
  {
    weight: 1,
    arbitrary: hostileHeader.map((value) => (owner: Owner) => ({
      ...owner,
      'x-jobd-workspace': value,
    })),
  },
  {
    weight: 1,
    arbitrary: hostileHeader.map((value) => (owner: Owner) => ({ ...owner, origin: value })),
  },
);

/** Puts known values in place of their names. */
function withKnown(
  body: string,
  { keys, owner }: { keys: { write: string }; owner: Owner },
): string {
  return body
    .replaceAll('WRITE_KEY', () => keys.write)
    .replaceAll('WORKSPACE', () => owner['x-jobd-workspace']);
}

/** A job, a run of it, and a monitor and a channel with a delivery beside it. */
export interface KnownIds {
  id: string;
  runId: string;
  monitorId: string;
  channelId: string;
  deliveryId: string;
  windowId: string;
  badgeId: string;
}

/** The source of ids and keys in random requests. */
export interface Known {
  /** Jobs of the key's workspace with a run, a monitor and a channel each, and of another workspace. */
  own: readonly KnownIds[];
  foreign: readonly KnownIds[];
  keys: { write: string; read: string; foreign: string };
  owner: Owner;
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

/** Whether the page of the owner sends it. */
const isOfOwner = ({ only }: ApiOperation): boolean => only === 'sessions' || only === 'owners';

/** A valid request of an operation, which a small sample of its random ones may lack. */
export function validDraftOf(operation: ApiOperation): Draft {
  const { body: given = null, bodies: [first] = [] } = operation;
  return (known) => {
    const [ids] = known.own;
    assert.ok(ids);
    // Those of `bodies` name what exists here.
    const body = first ?? (typeof given === 'function' ? given(ids.id, ids.id) : given);
    const rest = {
      owner: isOfOwner(operation) ? (owner: Owner) => ({ ...owner }) : null,
      authorization: ({ keys }: Known) => `Bearer ${keys.write}`,
      contentType: 'application/json',
      otherHeaders: {},
      body: body === null ? null : JSON.stringify(body),
    };
    const path = filled(operation.path, (part) => ids[part]);
    return sent(operation.method, `/api/v1${path}`, rest, known);
  };
}

/** A path with ids in place of its parameters. */
function filled(path: string, idOfPart: (part: keyof KnownIds) => string): string {
  return path
    .replace('windows/{id}', () => `windows/${idOfPart('windowId')}`)
    .replace('badges/{id}', () => `badges/${idOfPart('badgeId')}`)
    .replace('monitors/{id}', () => `monitors/${idOfPart('monitorId')}`)
    .replace('channels/{id}', () => `channels/${idOfPart('channelId')}`)
    .replace('{id}', () => idOfPart('id'))
    .replace('{runId}', () => idOfPart('runId'))
    .replace('{deliveryId}', () => idOfPart('deliveryId'));
}

/** Requests of one operation, the valid ones among them. */
export function draftsOf(operation: ApiOperation): fc.Arbitrary<Draft> {
  const { method, path, query, hostileBody } = operation;
  const parts = fc.nat(1_000).chain((index) =>
    fc.record({
      id: idOf('id', index),
      runId: idOf('runId', index),
      monitorId: idOf('monitorId', index),
      channelId: idOf('channelId', index),
      deliveryId: idOf('deliveryId', index),
      windowId: idOf('windowId', index),
      badgeId: idOf('badgeId', index),
      // Where many parameters are known, few random requests have none that is wrong.
      asked: fc.oneof(
        { weight: 1, arbitrary: fc.constant('') },
        { weight: 9, arbitrary: query ?? hostileQuery },
      ),
      owner: isOfOwner(operation) ? ownerHeaders : fc.constant(null),
      authorization,
      contentType,
      otherHeaders,
      body: hostileBody ?? bodyNobodyAsksFor,
    }),
  );
  return parts.map(({ asked, ...all }) => (known) => {
    const { id, runId, monitorId, channelId, deliveryId, windowId, badgeId, ...rest } = all;
    const ids = { id, runId, monitorId, channelId, deliveryId, windowId, badgeId };
    const at = filled(path, (part) => ids[part](known));
    return sent(method, `/api/v1${at}${asked}`, rest, known);
  });
}

const knownSteps = `
  api v1 v2 jobs runs run receipts key receipt schedule definitions preview history days
  due-times chain callbacks explanation copy actions healthz monitors ping pings start deliveries
  test session sessions keys about`
  .trim()
  .split(/\s+/);
const step = fc.oneof(
  fc.constantFrom(...knownSteps),
  fc.constantFrom('', '..', 'openapi.json', 'me', 'channels', 'overview', 'trouble', 'events'),
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
  owner?: ((owner: Owner) => Record<string, string>) | null;
  authorization: (known: Known) => string | string[] | undefined;
  contentType: string;
  otherHeaders: Record<string, string>;
  body: string | Buffer | null;
}

function sent(method: string, path: string, rest: Rest, known: Known): RawRequest {
  const owner = rest.owner?.(known.owner);
  const authorized = owner === undefined ? rest.authorization(known) : undefined;
  const { body } = rest;
  return {
    method,
    path,
    headers: {
      ...rest.otherHeaders,
      ...(body !== null && { 'content-type': rest.contentType }),
      ...(authorized !== undefined && { authorization: authorized }),
      ...owner,
    },
    body: typeof body === 'string' ? withKnown(body, known) : body,
  };
}
