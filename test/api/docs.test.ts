import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { build } from 'esbuild';
import { referencePage } from '../../src/api/docs/page.ts';
import type { OpenApiDocument } from '../../src/api/description/openapi-document.ts';
import { startServer } from '../../src/serve/server.ts';
import type { App } from '../../src/app/app.ts';
import { JobdError } from '../../src/domain/errors.ts';
import { openLog } from '../../src/base/log.ts';
import { fakeClock } from '../support/fakes/clock.ts';
import { quietApp } from '../support/running/app.ts';
import { startTestDaemon } from '../support/running/daemon.ts';
import { openTestStore } from '../support/running/store.ts';

const built: App['pageFile'] = async (name) => Buffer.from(`/* ${name} */`);

/** A server with these files of the build. */
async function startBuilt(t: TestContext, pageFile = built): Promise<string> {
  const { store } = await openTestStore(t);
  const app = quietApp({ store, clock: fakeClock(), pageFile });
  const options = { host: '127.0.0.1', port: 0, baseUrl: null, corsOrigins: [] };
  const server = await startServer(app, options, openLog('silent'));
  t.after(() => server[Symbol.asyncDispose]());
  return server.url;
}

interface Page {
  status: number;
  headers: Headers;
  text: string;
}

async function get(url: string): Promise<Page> {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The visible text of a piece of HTML. */
function seen(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

test('the reference page shows every operation with its parameters, fields and responses', async (t) => {
  const { url, ask } = await startTestDaemon(t);
  const description: OpenApiDocument = (await ask('GET', '/openapi.json')).body;
  const { status, headers, text } = await get(`${url}/docs`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [, rest = ''] = text.split(`<article id="${operation.operationId}">`);
      const article = seen(rest.split('</article>')[0] ?? '');
      const body = operation.requestBody?.content['application/json']?.schema.$ref ?? '';
      const fields = description.components.schemas[body.split('/').at(-1) ?? '']?.properties ?? {};
      const words = [
        operation.summary,
        `${method.toUpperCase()}${path}`,
        ...(operation.parameters ?? []).map(({ name }) => name),
        ...Object.keys(fields),
        ...Object.entries(operation.responses).map(
          ([code, { description: says }]) => `${code} ${says.replaceAll('`', '')}`,
        ),
        `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${operation.servers?.[0]?.url ?? `${url}/api/v1`}${path.split('{')[0]}`,
      ];
      for (const word of words)
        assert.ok(article.includes(word), `${operation.operationId}: ${word}`);
    }
  }
  for (const name of Object.keys(description.components.schemas)) {
    assert.ok(text.includes(`<article class="shape" id="${name}">`), name);
  }
});

test('every link within the page has a target, and every id is unique', async (t) => {
  const { text } = await get(`${(await startTestDaemon(t)).url}/docs`);
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id ?? '', /^\S+$/);
  const variables = new Set([...text.matchAll(/\$[A-Z]+_ID/g)].map(([name]) => name));
  const nouns = [
    'BADGE',
    'CHANNEL',
    'DELIVERY',
    'JOB',
    'KEY',
    'MONITOR',
    'PING',
    'REPORT',
    'RUN',
    'SESSION',
    'WINDOW',
  ];
  assert.deepEqual(
    [...variables].toSorted(),
    nouns.map((noun) => `$${noun}_ID`),
  );
  const targets = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  assert.ok(targets.length > ids.length);
  for (const target of targets) assert.ok(ids.includes(target), target);
});

test('the page runs no script and loads nothing but its stylesheet', async (t) => {
  const url = await startBuilt(t);
  const { headers, text } = await get(`${url}/docs`);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|script|https?:/);
  assert.doesNotMatch(
    text,
    /<(script|img|iframe|object|embed|form|style|base)\b| style=| on\w+="|@import/i,
  );
  const linked = [...text.matchAll(/(?:src|href)="(?!#)([^"]+)"/g)].map(([, target]) => target);
  assert.deepEqual(
    linked,
    ['docs.css', './', 'api/v1/openapi.json'],
    'relative, for any path before',
  );
  for (const target of linked) {
    const { status } = await get(new URL(target ?? '', `${url}/docs`).href);
    assert.equal(status, 200, target);
  }
  const style = await get(`${url}/docs.css`);
  assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8');
  assert.equal(style.text, '/* docs.css */');
});

test('the stylesheet has the colours of the other pages, and loads nothing', async () => {
  const source = join(import.meta.dirname, '..', '..', 'src', 'api', 'docs', 'docs.css');
  const { outputFiles } = await build({ entryPoints: [source], bundle: true, write: false });
  const text = outputFiles[0]?.text ?? '';
  assert.match(text, /--ink: light-dark\(/);
  assert.match(text, /\[data-theme=['"]?dark/);
  assert.doesNotMatch(text, /url\(|@import/);
  const [, ownRules = ''] = text.split('/* src/api/docs/docs.css */');
  assert.doesNotMatch(ownRules, /#[0-9a-f]{3,8}\b|rgb|hsl/i, 'every colour has a name');
});

test('without a build there is the page, and its stylesheet once it is made', async (t) => {
  let isBuilt = false;
  const url = await startBuilt(t, async (name) => {
    if (isBuilt) return await built(name);
    throw new JobdError('unavailable', `page/${name} is not built: npm run build`);
  });
  assert.equal((await get(`${url}/docs`)).status, 200);
  assert.equal((await get(`${url}/docs.css`)).status, 503);
  isBuilt = true;
  assert.equal((await get(`${url}/docs.css`)).status, 200);
});

test('any text in the description is escaped', () => {
  const hostile = `<script>alert("1")</script>&amp;'`;
  const schema = { type: 'object', description: hostile, title: hostile };
  const page = referencePage({
    openapi: '3.1.0',
    info: {
      title: hostile,
      version: hostile,
      description: `${hostile}\n\n## ${hostile}`,
      license: {},
    },
    servers: [{ url: hostile }],
    security: [],
    tags: [{ name: hostile, description: hostile }],
    paths: {
      [`/${hostile}`]: {
        get: {
          operationId: hostile,
          tags: [hostile],
          summary: hostile,
          description: `${hostile} \`${hostile}\``,
          parameters: [
            {
              name: hostile,
              in: 'query',
              required: true,
              description: hostile,
              schema: { enum: [hostile], default: hostile },
            },
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example: hostile } },
          },
          responses: {
            [hostile]: { description: hostile, content: {} },
            200: {
              description: hostile,
              headers: { [hostile]: { description: hostile, required: true, schema } },
              content: {
                'application/json': { schema: { $ref: hostile }, example: { [hostile]: hostile } },
              },
            },
          },
        },
      },
    },
    components: {
      headers: {},
      schemas: { [hostile]: { ...schema, properties: { [hostile]: schema } } },
      securitySchemes: {},
    },
  });
  assert.doesNotMatch(page, /<script|&amp;'|alert\("/);
  assert.ok(page.split('&lt;script&gt;').length > 25);
});

test('a cached page is answered with 304 Not Modified', async (t) => {
  const url = await startBuilt(t);
  const plain = { 'accept-encoding': 'identity' };
  for (const path of ['/docs', '/docs.css']) {
    const etag = (await fetch(url + path, { headers: plain })).headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{43}"$/);
    const again = await fetch(url + path, { headers: { 'if-none-match': `"other", ${etag}` } });
    assert.equal(again.status, 304);
    assert.equal(await again.text(), '');
    const other = await fetch(url + path, {
      headers: { ...plain, 'if-none-match': '"other"' },
    });
    assert.equal(other.status, 200);
    const head = await fetch(url + path, { method: 'HEAD', headers: plain });
    assert.equal(head.headers.get('etag'), etag);
    const bytes = (await other.arrayBuffer()).byteLength;
    assert.equal(head.headers.get('content-length'), String(bytes));
  }
});
