/**
 * The published API description: complete, valid and accurate. clients.test.ts makes clients of it.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createFastify } from '../../src/api/http/fastify.ts';
import type { OpenApiDocument, Operation } from '../../src/api/description/openapi-document.ts';
import { describeRoutes } from '../../src/api/description/openapi.ts';
import { createRequestLimits } from '../../src/api/http/limits/request-limits.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { noKeys } from '../support/fakes/admissions.ts';
import { officialSchemaText } from '../support/checks/openapi-schema.ts';
import { startClockedDaemon, startTestDaemon, type TestDaemon } from '../support/running/daemon.ts';

async function describedBy({ ask }: TestDaemon): Promise<OpenApiDocument> {
  const { status, body } = await ask('GET', '/openapi.json', undefined, null);
  assert.equal(status, 200);
  return body;
}

/** Every operation with its path. */
function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

test('the description needs no key and names its API version', async (t) => {
  const daemon = await startTestDaemon(t);
  const { openapi, info, servers, components } = await describedBy(daemon);
  assert.equal(openapi, '3.1.0');
  assert.equal(info.version, '1.1.0');
  assert.deepEqual(servers, [{ url: `${daemon.url}/api/v1` }]);
  const { key, session, ...others } = components.securitySchemes as Record<string, object>;
  assert.deepEqual(key, {
    type: 'http',
    scheme: 'bearer',
    description: 'A key of one workspace: `cp_` and 64 hexadecimal digits.',
  });
  assert.partialDeepStrictEqual(session, { type: 'apiKey', in: 'cookie' });
  assert.deepEqual(others, {});
});

test('the description contains the base URL that the operator set', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { baseUrl: 'https://jobs.example.com/x/' } });
  assert.deepEqual((await describedBy(daemon)).servers, [
    { url: 'https://jobs.example.com/x/api/v1' },
  ]);
});

/** An operation without its query and the names of its parameters. */
const bare = (text: string): string => text.replace(/\?.*/, '').replaceAll(/\{\w+\}/g, '{}');

test('the table of docs/api.md has each operation, and else only what the description has not', async (t) => {
  const described = operationsOf(await describedBy(await startTestDaemon(t))).map((one) =>
    bare(`${one.method.toUpperCase()} ${one.operation.servers ? '' : '/api/v1'}${one.path}`),
  );
  const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const cells = page
    .slice(page.indexOf('| operation'))
    .matchAll(/((?:`[A-Z]+`, )*`[A-Z]+) ([^`]+)`/g);
  const listed = [...cells].flatMap(([, methods = '', path]) =>
    Array.from(methods.matchAll(/[A-Z]+/g), ([method]) => bare(`${method} ${path}`)),
  );
  const others = 'GET /,GET /sign-in,GET /verify-receipt.mjs,HEAD /ping/{},HEAD /ping/{}/{}';
  assert.deepEqual(listed.toSorted(), [...described, ...others.split(',')].toSorted());
});

test('the description is valid OpenAPI 3.1, its schemas are valid JSON Schema', async (t) => {
  const description = await describedBy(await startTestDaemon(t));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile(
    JSON.parse(officialSchemaText('https://json-schema.org/draft/2020-12/schema')),
  );
  assert.ok(validate(description), ajv.errorsText(validate.errors));

  const broken: [string, (copy: OpenApiDocument) => void][] = [
    ['no version', ({ info }) => Reflect.deleteProperty(info, 'version')],
    ['a path without a slash', ({ paths }) => Object.assign(paths, { jobs: {} })],
    ['parameters from nowhere', (copy) => operationsOf(copy).forEach(moveParameters)],
    [
      'a schema of no type',
      ({ components }) => Object.assign(components.schemas, { Job: { type: 'x' } }),
    ],
  ];
  for (const [what, breakIt] of broken) {
    const copy = structuredClone(description);
    breakIt(copy);
    assert.equal(validate(copy), false, what);
  }
});

function moveParameters({ operation }: { operation: Operation }): void {
  for (const parameter of operation.parameters ?? []) Object.assign(parameter, { in: 'body' });
}

/** Every reference in a document. */
function referencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' ? [String(value)] : referencesIn(value),
  );
}

test('every reference resolves to a component, and every component is referenced', async (t) => {
  const description = await describedBy(await startTestDaemon(t));
  const { schemas, headers } = description.components;
  const components = Object.entries({ schemas, headers }).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  );
  const used = new Set(referencesIn(description));
  assert.deepEqual([...used].toSorted(), components.toSorted());
});

/**
 * The operations on jobs, runs and receipts (docs/behavior.md#the-api) with their statuses besides
 * 400, 401, 429 and 503.
 */
const promised: Record<string, [place: string, statuses: number[]]> = {
  listJobs: ['get /jobs', [200]],
  createJob: ['post /jobs', [201, 402, 403, 409, 413]],
  getJob: ['get /jobs/{id}', [200, 404]],
  updateJob: ['patch /jobs/{id}', [200, 402, 403, 404, 409, 413]],
  deleteJob: ['delete /jobs/{id}', [200, 403, 404, 409, 413]],
  runJob: ['post /jobs/{id}/run', [202, 402, 403, 404, 409, 413]],
  listRuns: ['get /jobs/{id}/runs', [200, 404]],
  getRun: ['get /jobs/{id}/runs/{runId}', [200, 404]],
  getReceipt: ['get /jobs/{id}/runs/{runId}/receipt', [200, 404, 409]],
  getReceiptKey: ['get /receipts/key', [200]],
};

test('the documented operations exist; all others are marked as extensions', async (t) => {
  const operations = operationsOf(await describedBy(await startTestDaemon(t)));
  const found = Object.fromEntries(
    operations
      .filter(({ operation }) => operation['x-extension'] !== true)
      .map(({ method, path, operation }) => [operation.operationId, `${method} ${path}`]),
  );
  const places = Object.entries(promised).map(([id, [place]]) => [id, place]);
  assert.deepEqual(found, Object.fromEntries(places));
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length, 'an operationId is unique');
  for (const { operation } of operations) {
    const [, statuses] = promised[operation.operationId] ?? [];
    if (statuses === undefined) continue;
    const common = operation.security === undefined ? [400, 401, 429, 503] : [400, 429, 503];
    const documented = Object.keys(operation.responses).map(Number);
    assert.deepEqual(
      documented,
      [...statuses, ...common].toSorted((a, b) => a - b),
    );
  }
});

test('every described operation exists and answers 401 without a key unless it needs none', async (t) => {
  const daemon = await startTestDaemon(t);
  const isOutside = /^\/(ping|report(?=\/\{token)|badge|healthz|readyz|\.well-known)\b/;
  for (const { method, path, operation } of operationsOf(await describedBy(daemon))) {
    const asked = [
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, '01a1fc58-a505-7000-bebc-059153f75def'),
    ] as const;
    const site = isOutside.test(path) ? [{ url: daemon.url }] : undefined;
    assert.deepEqual(operation.servers, site, path);
    const { status } =
      site === undefined
        ? await daemon.ask(...asked, undefined, null)
        : await daemon.askSite(...asked);
    if (/^.(ping|report(?=\/\{token)|badge)\b/.test(path))
      assert.equal(status, 404, operation.operationId);
    else if (operation.security === undefined) assert.equal(status, 401, operation.operationId);
    else if (method === 'post') assert.equal(status, 400, operation.operationId);
    else assert.ok(status === 200 || status === 503, `${operation.operationId}: ${status}`);
  }
});

test('a route without a description cannot be added', () => {
  const server = createFastify({
    log: openLog('silent'),
    requests: createRequestLimits({ clock: systemClock, admissions: noKeys }),
  });
  const describe = describeRoutes(server, {
    prefix: '/api/v1',
    siteUrl: () => 'http://127.0.0.1:1',
    cookieName: 'jobd-00000000',
  });
  server.get('/elsewhere', () => 'as it likes');
  assert.throws(
    () => server.get('/api/v1/secret', () => 'unknown'),
    /GET \/api\/v1\/secret needs a schema from describe/,
  );
  assert.deepEqual(describe().paths, {});
});

test('every example is valid, and every operation has a request and a response example', async (t) => {
  const description = await describedBy(await startTestDaemon(t));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(description, 'api');
  const assertValid = (ref: string, example: unknown): void => {
    const validate = ajv.getSchema(`api${ref}`);
    assert.ok(validate?.(example), `${ref}: ${ajv.errorsText(validate?.errors)}`);
  };
  for (const [name, { examples = [] }] of Object.entries(description.components.schemas)) {
    for (const example of examples) assertValid(`#/components/schemas/${name}`, example);
  }
  for (const { operation } of operationsOf(description)) {
    const answers = Object.entries(operation.responses).map(([status, { content }]) => ({
      what: `${operation.operationId} ${status}`,
      content,
    }));
    const { requestBody } = operation;
    const body = { what: operation.operationId, content: requestBody?.content ?? {} };
    for (const { what, content } of [...answers, ...(requestBody ? [body] : [])]) {
      const [{ schema, example } = {}] = Object.values(content);
      // Only texts and the description itself have no schema name; it is its own example.
      if (schema?.type === 'string') assert.equal(typeof example, 'string', what);
      else if (schema?.$ref === undefined) assert.equal(what, 'getOpenApi 200');
      else assertValid(schema.$ref, example ?? assert.fail(`${what} has no example`));
    }
  }
});

/** Fields that change by themselves or are unique to one object. */
const passing = /^(id|createdAt|pingUrl|status|next\w+|last\w+)$/;

function settingsIn(answer: object): object {
  const [shown = {}] = Object.values(answer) as object[];
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !passing.test(name)));
}

test('sending the request example returns the response example', async (t) => {
  const { daemon } = await startClockedDaemon(t, '2025-10-09T04:00:12.318Z');
  const { paths } = await describedBy(daemon);
  for (const noun of ['job', 'monitor', 'channel']) {
    const create = paths[`/${noun}s`]?.['post'] ?? assert.fail(noun);
    const made = await daemon.ask('POST', `/${noun}s`, requestExample(create));
    const example = answerExample(create, '201') as Record<string, object>;
    const { id, createdAt, pingUrl } = made.body[noun];
    const own = { id, createdAt, ...(pingUrl && { pingUrl }) };
    assert.deepEqual(made.body[noun], { ...example[noun], ...own }, noun);

    const change = paths[`/${noun}s/{id}`]?.['patch'] ?? assert.fail(noun);
    const changed = await daemon.ask('PATCH', `/${noun}s/${id}`, requestExample(change));
    const shown = answerExample(change, '200');
    assert.deepEqual(settingsIn(changed.body), settingsIn(shown), noun);
  }
});

function requestExample({ requestBody }: Operation): unknown {
  return requestBody?.content['application/json']?.example;
}

function answerExample({ responses }: Operation, status: string): object {
  return (responses[status]?.content['application/json']?.example as object) ?? assert.fail(status);
}

test('every field, parameter and response has a description', async (t) => {
  const description = await describedBy(await startTestDaemon(t));
  for (const [name, { properties = {} }] of Object.entries(description.components.schemas)) {
    for (const [field, schema] of Object.entries(properties)) {
      assert.ok(schema.$ref ?? schema.description, `${name}.${field}`);
    }
  }
  for (const { operation } of operationsOf(description)) {
    const { operationId, summary, parameters = [], responses } = operation;
    for (const { description: words } of [...parameters, ...Object.values(responses), operation]) {
      assert.match(words, /^[A-Z`].*\.$/s, operationId);
    }
    assert.match(summary, /^[A-Z].*[^.]$/, operationId);
  }
});
