/** The documents of the pages and what they load, as any client gets them. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createAssets } from '../../../src/api/page/assets.ts';
import { documentAt } from '../../../src/api/page/document.ts';
import { pagePaths } from '../../../src/api/page/paths.ts';
import { startServer } from '../../../src/serve/server.ts';
import type { App } from '../../../src/app/app.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { openLog } from '../../../src/base/log.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { openSocket, receiveAll } from '../../support/hostile/raw.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';

const sources: Record<string, string> = {
  'app.js': `export {}; // ${'✓'.repeat(2_000)}`,
  'receipts.js': 'export const isEmpty = true;',
  'app.css': 'body {}',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'icon-trouble.svg': '<svg xmlns="http://www.w3.org/2000/svg" id="trouble"/>',
};

const built: App['pageFile'] = async (name) => Buffer.from(sources[name] ?? '');

async function startPages(t: TestContext, pageFile = built): Promise<string> {
  const { store } = await openTestStore(t);
  const app = quietApp({ store, clock: fakeClock(), pageFile });
  const options = { host: '127.0.0.1', port: 0, baseUrl: null, corsOrigins: [] };
  const server = await startServer(app, options, openLog('silent'));
  t.after(() => server[Symbol.asyncDispose]());
  return server.url;
}

/** The addresses that the document at an address loads. */
async function linksOf(url: string): Promise<string[]> {
  const text = await (await fetch(url)).text();
  const found = [
    ...text.matchAll(/(?:src|href)="([^"]*assets\/)([^"]+)"(?: data-receipts="([^"]+)")?/g),
  ];
  return found.flatMap(([, folder = '', ...names]) =>
    names.filter(Boolean).map((name) => new URL(`${folder}${name}`, url).href),
  );
}

async function sent(url: string, bytes: string): Promise<Socket> {
  const socket = await openSocket(url);
  socket.write(bytes);
  return socket;
}

test('each page answers a document with the strict policy, which browsers ask for again', async (t) => {
  const url = await startPages(t);
  for (const path of ['/', '/sign-in', '/?q=1', '/jobs/1/runs/%3Cscript%3E', '/settings']) {
    const response = await fetch(url + path);
    assert.equal(response.status, 200, path);
    const header = (name: string): string | null => response.headers.get(name);
    assert.equal(header('content-type'), 'text/html; charset=utf-8');
    assert.equal(
      header('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    assert.equal(header('cross-origin-opener-policy'), 'same-origin');
    assert.equal(header('x-frame-options'), 'DENY');
    assert.equal(header('x-content-type-options'), 'nosniff');
    assert.equal(header('referrer-policy'), 'no-referrer');
    assert.equal(header('cache-control'), 'no-cache');
    assert.equal(header('set-cookie'), null);
    assert.doesNotMatch(await response.text(), / style=| on\w+=|<style|<script(?![^>]* src=)/i);
    const etag = header('etag') ?? '';
    assert.match(etag, /^"[\w-]{43}"$/);
    const again = await fetch(url + path, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('cross-origin-opener-policy'), 'same-origin');
    const head = await fetch(url + path, { method: 'HEAD' });
    assert.equal(head.headers.get('etag'), etag);
    assert.equal(await head.text(), '');
  }
});

test('an address of no page answers 404: to a browser in a page, to any other client in a sentence', async (t) => {
  const url = await startPages(t);
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of ['/nothing', '/job/1/', '/a/b/c?d=/e']) {
    const shown = await fetch(url + path, { headers: browser });
    assert.equal(shown.status, 404, path);
    assert.match(shown.headers.get('content-security-policy') ?? '', /trusted-types 'none'$/);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    const [, script = ''] = /src="([^"]+)"/.exec(await shown.text()) ?? [];
    assert.equal((await fetch(new URL(script, url + path))).status, 200, `${path}: ${script}`);
    assert.match(await (await fetch(url + path)).text(), /^\{"error":"there is nothing at GET/);
  }
  for (const path of ['/api/v1/nothing', '/x'.repeat(30), '/assets/nothing.js']) {
    const refused = await fetch(url + path, { headers: browser });
    assert.equal(refused.status, 404, path);
    assert.match(await refused.text(), /^\{"error"/, path);
  }
});

test('the root is the dashboard, and leads to the reference of the API', async (t) => {
  const url = await startPages(t);
  const [path] = pagePaths;
  assert.equal(path, '/');
  const text = await (await fetch(`${url}/`)).text();
  assert.match(text, /<script type="module" src="\.\/assets\/app-/);
  const [, link = ''] = /<a href="([^"]*)">API<\/a>/.exec(text) ?? [];
  const docs = new URL(link, `${url}/`);
  assert.equal(docs.href, `${url}/docs`);
  const reference = await fetch(docs);
  assert.equal(reference.status, 200);
  assert.match(await reference.text(), /List jobs/);
});

test('what a document loads has the hash of its bytes in its name and may be kept forever', async (t) => {
  const url = await startPages(t);
  const links = await linksOf(`${url}/`);
  assert.deepEqual(await linksOf(`${url}/sign-in`), links);
  const names = links.map((link) =>
    link.replace(/-[\w-]{12}\./, '.').replace(`${url}/assets/`, ''),
  );
  assert.deepEqual(names.toSorted(), ['app.css', 'app.js', 'icon.svg', 'receipts.js']);
  for (const link of links) {
    const response = await fetch(link);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(
      response.headers.get('content-type') ?? '',
      /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
    );
    const name = names[links.indexOf(link)] ?? '';
    assert.equal(await response.text(), sources[name]);
    const head = await fetch(link, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), response.headers.get('content-length'));
  }
  const other = await startPages(t, async () => Buffer.from('other bytes'));
  for (const link of await linksOf(`${other}/`)) {
    assert.ok(!links.includes(link.replace(other, url)), 'other bytes, same name');
  }
});

test('a document names the icons that its script may show', async (t) => {
  const url = await startPages(t);
  const text = await (await fetch(`${url}/sign-in`)).text();
  for (const [use, file] of [
    ['calm', 'icon.svg'],
    ['trouble', 'icon-trouble.svg'],
  ] as const) {
    const name = new RegExp(` data-${use}="([^"]+)"`).exec(text)?.[1] ?? '';
    assert.equal(name.replace(/-[\w-]{12}\.svg$/, '.svg'), file);
    const response = await fetch(`${url}/assets/${name}`);
    assert.equal(response.headers.get('content-type'), 'image/svg+xml');
    assert.equal(await response.text(), sources[file]);
  }
});

test('what a document loads is compressed as the client can read it', async (t) => {
  const url = await startPages(t);
  const script = (await linksOf(`${url}/`)).find((link) => link.endsWith('.js')) ?? '';
  const rows: [accepted: string | undefined, encoding: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['GZIP ; q=0.5', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['gzip;q=0.000, br', undefined],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=0, *', undefined],
    ['gzip;q=high', undefined],
    [';;,,=', undefined],
  ];
  for (const [accepted, encoding] of rows) {
    const line = accepted === undefined ? '' : `Accept-Encoding: ${accepted}\r\n`;
    const { pathname } = new URL(script);
    const request = `HEAD ${pathname} HTTP/1.0\r\n${line}\r\n`;
    const received = (await receiveAll(await sent(url, request))).toString();
    assert.match(received, /^HTTP\/1\.1 200 /, accepted);
    assert.equal(/^content-encoding: (.*)$/im.exec(received)?.[1]?.trim(), encoding, accepted);
    assert.match(received, /^vary: accept-encoding\r$/im, accepted);
  }
});

test('every other path stays unknown', async (t) => {
  const url = await startPages(t);
  const [script = ''] = await linksOf(`${url}/`);
  const rows: [method: string, path: string][] = [
    ['GET', '/sign-in/'],
    ['GET', '/Sign-in'],
    ['GET', '/index.html'],
    ['GET', '/nothing'],
    ['GET', '/assets'],
    ['GET', '/assets/'],
    ['GET', '/assets/app.js'],
    ['GET', '/assets/app-000000000000.js'],
    ['GET', '/assets/__proto__'],
    ['GET', `/assets/..%2f..%2fetc%2fpasswd`],
    ['GET', `${new URL(script).pathname}.br`],
    ['POST', '/'],
    ['POST', '/sign-in'],
    ['GET', '/jobs/1/2/3/4'],
    ['GET', '/jobs/1/runs'],
    ['GET', '/settings/keys'],
    ['DELETE', new URL(script).pathname],
  ];
  for (const [method, path] of rows) {
    const response = await fetch(url + path, { method });
    assert.equal(response.status, 404, `${method} ${path}`);
    assert.deepEqual(Object.keys((await response.json()) as object), ['error']);
    assert.equal(response.headers.get('cache-control'), 'no-store', path);
  }
});

test('pages and files do not count: loading them locks nobody out of signing in, and the other way round', async (t) => {
  const url = await startPages(t);
  const files = [
    '/sign-in',
    '/docs',
    '/api/v1/openapi.json',
    new URL((await linksOf(url))[0] ?? '').pathname,
  ];
  for (let count = 0; count < 400; count += 1) {
    const { status, body } = await fetch(`${url}${files[count % files.length]}`, {
      method: 'HEAD',
    });
    assert.equal(status, 200);
    await body?.cancel();
  }
  const signIn = async (): Promise<number> => {
    const body = JSON.stringify({ key: `cp_${'0'.repeat(64)}` });
    const headers = { 'content-type': 'application/json', origin: url };
    return (await fetch(`${url}/api/v1/session`, { method: 'POST', headers, body })).status;
  };
  for (let count = 0; count < 300; count += 1) assert.equal(await signIn(), 401);
  assert.equal(await signIn(), 429);
  for (const path of files) assert.equal((await fetch(url + path)).status, 200, path);
});

test('without a build a page says how to make it, and works once it is made', async (t) => {
  let isBuilt = false;
  const url = await startPages(t, async (name) => {
    if (isBuilt) return await built(name);
    throw new JobdError('unavailable', `page/${name} is not built: npm run build`);
  });
  const refused = await fetch(`${url}/`);
  assert.equal(refused.status, 503);
  assert.deepEqual(await refused.json(), { error: 'page/app.js is not built: npm run build' });
  isBuilt = true;
  assert.equal((await fetch(`${url}/`)).status, 200);
});

test('a document links to its assets from any depth, below any path of a proxy', async () => {
  const assets = await createAssets({ pageFile: built })();
  const rows: [path: string, base: string][] = [
    ['/', 'http://a.test/jobd/'],
    ['/sign-in', 'http://a.test/jobd/sign-in'],
    ['/jobs/:id', 'http://a.test/jobd/jobs/1'],
    ['/jobs/:id/runs/:runId', 'http://a.test/jobd/jobs/1/runs/2'],
  ];
  for (const [path, at] of rows) {
    const [, link = ''] = /src="([^"]+)"/.exec(documentAt(path, assets)) ?? [];
    assert.match(
      new URL(link, at).href,
      /^http:\/\/a\.test\/jobd\/assets\/app-[\w-]{12}\.js$/,
      path,
    );
  }
});
