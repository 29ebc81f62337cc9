/** All outgoing traffic goes through egress: no other file can connect or resolve names. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

/** Modules that can connect, resolve names, or start a program that does. */
const modules = new Set([
  'undici',
  'nodemailer',
  'pg',
  'net',
  'tls',
  'dns',
  'dns/promises',
  'dgram',
  'http',
  'https',
  'http2',
  'quic',
  'child_process',
  'cluster',
  'inspector',
]);

/** Globals of Node and browsers that connect. */
const globals = [
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'WebTransport',
  'sendBeacon',
];

/** Ways to load a module other than a static import. */
const backDoors = ['getBuiltinModule', 'createRequire', 'process.binding', 'eval(', 'Function('];

/**
 * Permitted uses outside of egress. The server listens, the command line calls its own server and
 * runs its user's command.
 */
const allowed = [
  'src/api/http/http-server.ts: node:http', // it listens
  'src/api/http/limits/client-errors.ts: node:http', // the words of status codes, for what no route has answered
  'src/base/programs.ts: node:child_process', // jobd itself, systemctl, and commands of the operator
  'src/cli/client/exchange.ts: node:http', // the API of a jobd, at the address its user names
  'src/cli/client/exchange.ts: node:https',
  'src/cli/monitors/wrapped.ts: node:child_process', // `jobd ping` runs the command that its user names
  'src/cli/operator/demo.ts: node:http', // it listens
  'src/cli/operator/demo.ts: fetch', // where a call to /later says that its report goes
  'src/cli/operator/new-file.ts: node:child_process', // a shell that removes a file of a refused backup
  // In the browser: the server that the page came from, which its policy holds it to.
  'src/dashboard/client/api.ts: fetch',
  'src/dashboard/client/live.ts: fetch',
  'src/metrics/server.ts: node:http', // it listens
  'src/store/postgres/connections/pinned.ts: pg', // its statements; what connects is pool.ts
  'src/store/postgres/connections/pool.ts: node:net', // its sockets, so that they can be let go
  'src/store/postgres/connections/pool.ts: pg', // the operator's database
  'src/store/postgres/connections/tls.ts: node:tls', // it looks at certificates
  'src/store/postgres/connections/url.ts: node:net', // it looks at addresses
  'src/wings/backups/own-command.ts: node:child_process', // this program itself, for a backup
  'src/wings/demo/demo.ts: node:http', // it listens
  'src/wings/readers/other-copies.ts: fetch', // the name of a form that it tells from others
];

/** Code without comments and type imports. */
function codeOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
    .replaceAll(/^ *\/\*[\s\S]*?\*\//gm, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '$1')
    .replaceAll(/^import type [^;]*;/gm, '');
}

function usesOf(path: string): string[] {
  const code = codeOf(path);
  const imported = [...code.matchAll(/(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g)]
    .map(([, name = '']) => name)
    .filter((name) => modules.has(name.replace(/^node:/, '')) || name.startsWith('undici/'));
  const named = globals.filter((name) =>
    new RegExp(`(?<![\\w$'"-])${name}\\b(?!['"-])`).test(code),
  );
  const hidden = backDoors.filter((name) => code.includes(name));
  return [...imported, ...named, ...hidden].map((use) => `${path}: ${use}`);
}

test('only egress can reach the network, except for the client of the command line', () => {
  const sources = globSync('src/**/*.{ts,tsx,js,mjs,html}', { cwd: root }).toSorted();
  const found = sources.filter((path) => !path.startsWith('src/egress/')).flatMap(usesOf);
  assert.deepEqual(found, allowed);
});

test('egress itself uses only the listed modules', () => {
  const found = globSync('src/egress/**/*.ts', { cwd: root }).toSorted().flatMap(usesOf);
  assert.deepEqual(found, [
    'src/egress/download.ts: node:http', // a release, from where the operator says
    'src/egress/download.ts: node:https',
    'src/egress/mail.ts: node:net', // to know which address it reached
    'src/egress/mail.ts: nodemailer', // the operator's server, which is trusted
    'src/egress/resolve.ts: node:dns/promises',
    'src/egress/tcp.ts: node:net',
    'src/egress/tls.ts: node:tls',
  ]);
});

test('the search finds each kind of violation', () => {
  const path = 'test/egress/only-egress-connects.fixture.txt';
  assert.deepEqual(usesOf(path), [
    `${path}: undici`,
    `${path}: undici/lib/dispatcher/pool.js`,
    `${path}: node:net`,
    `${path}: https`,
    `${path}: node:dns`,
    `${path}: node:child_process`,
    `${path}: fetch`,
    `${path}: WebSocket`,
    `${path}: EventSource`,
    `${path}: getBuiltinModule`,
  ]);
});
