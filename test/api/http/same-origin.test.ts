/** Who may use the cookie of a session: the whole table (docs/behavior.md#session-5). */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { newCode, signIn } from '../../support/running/browser.ts';
import { startSteadyDaemon, startTestDaemon } from '../../support/running/daemon.ts';

const sites = ['same-origin', 'same-site', 'cross-site', 'none', 'absent'] as const;
const origins = ['same', 'other port', 'other host', 'null', 'absent'] as const;
const workspaces = ['right', 'other', 'absent'] as const;
const credentials = ['cookie', 'header', 'both'] as const;

/** The status of each Origin (rows) and Sec-Fetch-Site (columns, in the order of `sites`). */
type Grid = Record<(typeof origins)[number], string>;

const ok = '200 200 200 200 200';
const never = '403 403 403 403 403';
const everywhere: Grid = {
  same: ok,
  'other port': ok,
  'other host': ok,
  null: ok,
  absent: ok,
};
const nowhere: Grid = {
  same: never,
  'other port': never,
  'other host': never,
  null: never,
  absent: never,
};
const elsewhere = '409 409 409 409 409';

/** With a cookie alone, by method and X-Jobd-Workspace. */
const withCookie: Record<'reads' | 'changes', Record<(typeof workspaces)[number], Grid>> = {
  reads: {
    right: {
      same: '200 403 403 200 200',
      'other port': '403 403 403 403 403',
      'other host': '403 403 403 403 403',
      null: '403 403 403 403 403',
      absent: '200 403 403 200 200',
    },
    other: {
      same: '200 403 403 200 200',
      'other port': '403 403 403 403 403',
      'other host': '403 403 403 403 403',
      null: '403 403 403 403 403',
      absent: '200 403 403 200 200',
    },
    absent: {
      same: '200 403 403 200 200',
      'other port': '403 403 403 403 403',
      'other host': '403 403 403 403 403',
      null: '403 403 403 403 403',
      absent: '200 403 403 200 200',
    },
  },
  changes: {
    right: {
      same: '200 403 403 403 200',
      'other port': '403 403 403 403 403',
      'other host': '403 403 403 403 403',
      null: '403 403 403 403 403',
      absent: '200 403 403 403 200',
    },
    other: {
      same: elsewhere,
      'other port': elsewhere,
      'other host': elsewhere,
      null: elsewhere,
      absent: elsewhere,
    },
    absent: nowhere,
  },
};

const methods = [
  { method: 'GET', path: '/jobs/ID' },
  { method: 'HEAD', path: '/jobs/ID' },
  { method: 'PATCH', path: '/jobs/ID', body: '{"notes":"n"}' },
  { method: 'POST', path: '/schedule/preview', body: '{}' },
  { method: 'DELETE', path: '/jobs/ID' },
] as const;

interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Sends exactly these headers, and Node's own Host. */
function statusOf(url: string, { method, path, headers, body }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const asking = request(`${url}/api/v1${path}`, { method, headers: { ...headers, ...type } });
    asking.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    asking.end(body);
  });
}

test('only a page of jobd itself can use the cookie; a key works wherever it comes from', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const session = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const job = { name: 'a', url: 'http://127.0.0.1:1/', paused: true };
  const { host, port } = new URL(daemon.url);

  const originHeaders: Record<(typeof origins)[number], string | undefined> = {
    same: `http://${host}`,
    'other port': `http://127.0.0.1:${Number(port) - 1}`,
    'other host': 'http://attacker.example',
    null: 'null',
    absent: undefined,
  };
  const workspaceHeaders: Record<(typeof workspaces)[number], string | undefined> = {
    right: session.workspaceId,
    other: '01a1fc58-a505-7000-bebc-059153f75def',
    absent: undefined,
  };
  const credentialHeaders: Record<(typeof credentials)[number], Record<string, string>> = {
    cookie: { cookie: session.cookie },
    header: { authorization: `Bearer ${daemon.key}` },
    both: { cookie: session.cookie, authorization: `Bearer ${daemon.key}` },
  };

  let count = 0;
  for (const { method, path, ...given } of methods) {
    const kind = method === 'GET' || method === 'HEAD' ? 'reads' : 'changes';
    let id = '';
    for (const credential of credentials) {
      for (const workspace of workspaces) {
        const grid = credential === 'cookie' ? withCookie[kind][workspace] : everywhere;
        for (const origin of origins) {
          for (const [column, site] of sites.entries()) {
            clock.advance(61_000);
            id ||= (await daemon.ask('POST', '/jobs', job)).body.job.id;
            const headers = {
              ...credentialHeaders[credential],
              origin: originHeaders[origin],
              'x-jobd-workspace': workspaceHeaders[workspace],
              ...(site !== 'absent' && { 'sec-fetch-site': site }),
            };
            const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
            const asked = {
              method,
              path: path.replace('ID', id),
              headers: Object.fromEntries(sent) as Record<string, string>,
              body: 'body' in given ? given.body : undefined,
            };
            await daemon.followClock();
            const status = await statusOf(daemon.url, asked);
            const what = { method, credential, workspace, origin, site };
            assert.equal(String(status), grid[origin].split(' ')[column], JSON.stringify(what));
            if (method === 'DELETE' && status === 200) id = '';
            count += 1;
          }
        }
      }
    }
  }
  assert.equal(count, 5 * 3 * 3 * 5 * 5);
});

test('nobody is signed in by another page, whatever cookie there is', async (t) => {
  const { daemon, clock } = await startSteadyDaemon(t);
  const { host } = new URL(daemon.url);
  const rows: [origin: string | null, site: string | null, status: number][] = [
    [`http://${host}`, 'same-origin', 201],
    [`http://${host}`, null, 201],
    [null, 'same-origin', 201],
    [null, null, 201],
    [`http://${host}`, 'same-site', 403],
    [`http://${host}`, 'cross-site', 403],
    [`http://${host}`, 'none', 403],
    ['http://127.0.0.1:1', null, 403],
    ['http://127.0.0.1:1', 'same-site', 403],
    ['http://attacker.example', null, 403],
    ['null', null, 403],
    ['null', 'cross-site', 403],
    [host, null, 403],
    [`http://${host}, http://${host}`, null, 403],
  ];
  for (const [origin, site, expected] of rows) {
    clock.advance(61_000);
    const status = await statusOf(daemon.url, {
      method: 'POST',
      path: '/session',
      headers: {
        ...(origin !== null && { origin }),
        ...(site !== null && { 'sec-fetch-site': site }),
      },
      body: JSON.stringify({ key: daemon.key }),
    });
    assert.equal(status, expected, `${origin} ${site}`);
  }
});

test('an allowed origin gets no cookies, and may not send the header of the page', async (t) => {
  const origin = 'https://app.example.com';
  const daemon = await startTestDaemon(t, { flags: { corsOrigin: [origin] } });
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-jobd-workspace',
  };
  const preflight = await fetch(`${daemon.url}/api/v1/jobs`, { method: 'OPTIONS', headers });
  assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
  assert.doesNotMatch(preflight.headers.get('access-control-allow-headers') ?? '', /workspace/i);
});
