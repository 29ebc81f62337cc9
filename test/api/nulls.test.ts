/** Null in an optional field of any operation means that it is not given (docs/behavior.md#api-10). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolve, type Schema } from '../../src/api/description/components.ts';
import { dropNulls } from '../../src/api/http/nulls.ts';
import { publishedDescription } from '../support/checks/description.ts';
import { choicesOf as choicesIn } from '../support/hostile/body.ts';
import { apiOperations, unknownId, type ApiOperation } from '../support/operations.ts';
import { newCode, signIn } from '../support/running/browser.ts';
import { startClockedDaemon, startTestDaemon } from '../support/running/daemon.ts';
import { fillWorkspace } from '../support/records/two-workspaces.ts';
import { startSink } from '../support/fakes/sink.ts';

type Fields = Record<string, unknown>;

const { paths, components } = await publishedDescription();
const operations = (await apiOperations()).filter(({ body }) => body !== undefined);

/** The schema of an operation's body, by its id. */
const bodies = new Map(
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema === undefined ? [] : [[operationId, resolve(schema, components.schemas)]];
    }),
);

const choicesOf = (schema: Schema): Schema[] => choicesIn(schema, components.schemas);

const takesNull = (schema: Schema): boolean =>
  choicesOf(schema).some(({ type = [] }) => [type].flat().includes('null'));

/** Each optional field of a body, by its path, and of what is in it. */
function optionalFields(schema: Schema, place = ''): [path: string, field: Schema][] {
  return choicesOf(schema).flatMap(({ properties = {}, required = [], items }) => [
    ...(items === undefined ? [] : optionalFields(items, `${place}[]`)),
    ...Object.entries(properties).flatMap(([name, field]): [string, Schema][] => {
      const path = `${place}.${name}`;
      const inner = optionalFields(field, path);
      return required.includes(name) ? inner : [[path, field], ...inner];
    }),
  ]);
}

/** A body with null in each optional field that it does not have, at any depth. */
function filled(schema: Schema, value: unknown): unknown {
  const inside = choicesOf(schema);
  if (Array.isArray(value)) {
    const items = inside.find((choice) => choice.items !== undefined)?.items ?? {};
    return value.map((item) => filled(items, item));
  }
  if (typeof value !== 'object' || value === null) return value;
  const given = value as Fields;
  const properties = Object.assign({}, ...inside.map((choice) => choice.properties)) as Record<
    string,
    Schema
  >;
  const nulls = Object.keys(properties).map((name) => [name, null]);
  const kept = Object.entries(given).map(([name, field]) => [
    name,
    filled(properties[name] ?? {}, field),
  ]);
  return { ...Object.fromEntries(nulls), ...Object.fromEntries(kept) };
}

test('the description says of each optional field of each body that it takes null', () => {
  const wrong = [...bodies].flatMap(([name, schema]) =>
    optionalFields(schema)
      .filter(([, field]) => !takesNull(field))
      .map(([path]) => name + path),
  );
  assert.deepEqual(wrong, []);
  const all = [...bodies].flatMap(([, schema]) => optionalFields(schema));
  assert.ok(all.length > 100, `${all.length} fields were found`);
});

test('each operation answers a body with nulls as it does one without', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const { key } = daemon;
  const own = await fillWorkspace(daemon, key, 'own', sink.url);
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const send = async ({ method, path, only }: ApiOperation, body: unknown): Promise<number> => {
    const id = path.startsWith('/channels')
      ? own.channelId
      : path.startsWith('/monitors')
        ? own.monitorId
        : own.jobId;
    const place = path.replace('{id}', id).replace('{runId}', own.runId);
    const { cookie, workspaceId } = owner;
    const signed = { cookie, 'x-jobd-workspace': workspaceId };
    const response = await fetch(`${daemon.url}/api/v1${place}`, {
      method,
      headers: {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        ...(only === 'owners' ? signed : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(!text.includes('null, '), text);
    return response.status;
  };
  for (const operation of operations) {
    const schema = bodies.get(operation.name) ?? assert.fail(operation.name);
    const bodyOf = (): object =>
      typeof operation.body === 'function'
        ? // Ids of nothing: a job that is deleted would answer no later operation.
          operation.body(unknownId, unknownId.replace('01', '02'))
        : (operation.body ?? {});
    const plain = await send(operation, bodyOf());
    assert.notEqual(plain, 400, operation.name);
    assert.equal(await send(operation, filled(schema, bodyOf())), plain, operation.name);
  }
});

test('nulls give the defaults on create, and change nothing on update', async (t) => {
  const { ask } = await startTestDaemon(t);
  const kinds: [path: string, noun: string, input: Fields, set: Fields][] = [
    [
      '/jobs',
      'job',
      { name: 'a', url: 'http://127.0.0.1:1/', paused: true },
      { method: 'PUT', headers: { 'x-a': 'b' }, timeoutSeconds: 7, retries: 2, notes: 'kept' },
    ],
    ['/monitors', 'monitor', { name: 'a' }, { graceSeconds: 77, notes: 'kept' }],
    [
      '/channels',
      'channel',
      { name: 'a', type: 'slack', config: { url: 'http://127.0.0.1:1/' } },
      { enabled: false, afterFailures: 7, alsoOn: ['missed'] },
    ],
  ];
  for (const [path, noun, input, set] of kinds) {
    const nulls = Object.fromEntries(Object.keys(set).map((name) => [name, null]));
    const make = async (more: Fields): Promise<Fields> => {
      const { status, body } = await ask('POST', path, { ...input, ...more });
      assert.equal(status, 201, body.error);
      return body[noun];
    };
    const shown = (made: Fields): unknown[] => Object.keys(set).map((name) => made[name]);
    assert.deepEqual(shown(await make(nulls)), shown(await make({})), noun);
    const { id } = await make(set);
    const { [noun]: before } = (await ask('GET', `${path}/${String(id)}`)).body;
    const { status, body } = await ask('PATCH', `${path}/${String(id)}`, { ...nulls, name: null });
    assert.equal(status, 200, body.error);
    assert.deepEqual(body[noun], before);
  }
});

test('a required field is no optional one, and null stays where it is a value', () => {
  const schema = {
    type: 'object',
    required: ['name', 'inner', 'list'],
    properties: {
      name: { type: 'string' },
      size: { type: 'integer' },
      body: { type: ['string', 'null'] },
      either: {
        anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }],
      },
      inner: { type: 'object', properties: { b: { enum: ['x'], type: 'string' } } },
      list: { type: 'array', items: { type: 'object', properties: { c: { type: 'string' } } } },
    },
  };
  const dropped = (body: unknown): unknown => {
    dropNulls(schema, body);
    return body;
  };
  assert.deepEqual(
    dropped({
      name: null,
      size: null,
      body: null,
      either: { a: null },
      inner: { b: null, unknown: null },
      list: [{ c: null }, null, { c: 'c' }],
      unknown: null,
    }),
    {
      name: null,
      body: null,
      either: {},
      inner: { unknown: null },
      list: [{}, null, { c: 'c' }],
      unknown: null,
    },
  );
  assert.deepEqual(dropped({ either: null }), { either: null });
  for (const body of [null, 'text', 7, [null]]) assert.deepEqual(dropped(body), body);
});

test('merge-patch is a type of updates alone', async (t) => {
  const { url, key } = await startTestDaemon(t);
  const send = async (method: string, path: string, body: object): Promise<[number, string]> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'Application/Merge-Patch+JSON; charset=utf-8',
      },
      body: JSON.stringify(body),
    });
    return [response.status, await response.text()];
  };
  const [status, text] = await send('POST', '/monitors', { name: 'a' });
  assert.deepEqual([status, text], [400, '{"error":"the content type must be application/json"}']);
  assert.equal((await send('PATCH', '/monitors/0', { name: 'a' }))[0], 404);
});
