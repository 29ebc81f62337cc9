/**
 * The examples of docs/verify-calls.md, run as somebody would: what was made by jobd is let in once, and everything else is
 * refused. Those without a runtime here are named as not run on the page.
 */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { Caller } from '../../src/domain/proof/caller.ts';
import type { CallJwk } from '../../src/domain/proof/call-key.ts';
import { isoTime } from '../../src/domain/clock.ts';
import { newId } from '../../src/domain/id.ts';
import { thumbprint } from '../../src/identity/keyring.ts';
import { identify } from '../../src/identity/sign.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { startSink } from '../support/fakes/sink.ts';
import { ownPort } from '../support/own-port.ts';
import { serveCommand } from '../support/running/command.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '../../docs');
const examples = join(root, 'examples/verify-calls');
const flaskApp = join(examples, 'flask_app.py');
const audience = 'https://api.example.com';
const workspaceId = newId(0);
const publicUrl = 'https://api.example.com';
const path = '/hook?tenant=7&b=%20';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const jwk = publicKey.export({ format: 'jwk' }) as CallJwk;
const keyId = thumbprint(jwk);

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/** A request as jobd sends it. */
function called(
  site: string,
  change: Partial<Caller> = {},
  body: string | null = '{"a":1}',
  method = body === null ? 'GET' : 'POST',
): Request {
  const run = { runId: newId(0), scheduledFor: isoTime(Date.now()) };
  const who = { issuer: site, workspaceId, jobId: newId(0), ...run, audience };
  const caller: Caller = { kind: 'httpsig', keyId, ...who, at: Date.now(), ...change };
  const targetUri = `${publicUrl}${path}`;
  const key = { keyId, algorithm: 'EdDSA', privateKey } as const;
  const { headers } = identify({ method, targetUri, body, timeoutMs: 30_000 }, caller, key);
  const type = body === null ? {} : { 'content-type': 'application/json' };
  return {
    method,
    path,
    headers: {
      'x-service-run-id': caller.runId,
      'x-service-scheduled-for': caller.scheduledFor,
      ...type,
      ...headers,
    },
    body,
  };
}

async function send(port: number, { method, path: target, headers, body }: Request) {
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = { ...headers, ...length };
  const asked = request({ host: '127.0.0.1', port, method, path: target, headers: sent });
  asked.end(body ?? undefined);
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, answer: await text(response) };
}

/** Publishes the key as jobd does. */
async function startSite(t: TestContext): Promise<string> {
  const { url } = await startSink(t, (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [{ ...jwk, kid: keyId, use: 'sig', alg: 'EdDSA' }] }));
  });
  return url;
}

/** Starts a program that listens on a port, and waits until it does. */
async function startProgram(
  t: TestContext,
  [file, ...args]: [string, ...string[]],
  port: number,
  env: Record<string, string> = {},
): Promise<void> {
  const inherited = { PATH: process.env['PATH'] ?? '', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(file, args, { env: { ...inherited, ...env, PORT: String(port) } });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  t.after(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await until(`${args.at(-1)} listens`, async () => {
    assert.equal(child.exitCode, null, said);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen || null;
  });
}

/** The settings of a target that demands signatures. */
function signedBy(site: string): Record<string, string> {
  return { JOBD_URL: site, PUBLIC_URL: publicUrl };
}

/** The settings of one that demands tokens. */
function envOf(site: string): Record<string, string> {
  return { ...signedBy(site), AUDIENCE: audience, WORKSPACE_ID: workspaceId };
}

const longAgo = (): number => Date.now() - 10 * 60_000;

async function checkTokens(port: number, site: string): Promise<void> {
  const token = called(site, { kind: 'oidc' });
  const refusedFirst: [what: string, request: Request][] = [
    ['another audience', called(site, { kind: 'oidc', audience: 'https://other.example.com' })],
    ['another workspace', called(site, { kind: 'oidc', workspaceId: newId(0) })],
    ['another site', called('https://other.example.com', { kind: 'oidc' })],
    ['an expired token', called(site, { kind: 'oidc', at: longAgo() })],
    [
      'an altered token',
      { ...token, headers: { ...token.headers, authorization: altered(token.headers) } },
    ],
    ['a signature, which any workspace can have made', called(site, { workspaceId: newId(0) })],
    ['no proof', { ...token, headers: {} }],
  ];
  for (const [what, refused] of refusedFirst) {
    assert.equal((await send(port, refused)).status, 401, what);
  }
  const runId = token.headers['x-service-run-id'];
  assert.deepEqual(await send(port, token), { status: 200, answer: `run ${runId}` });
  assert.equal((await send(port, token)).status, 401, 'a replayed token');
}

function altered({ authorization = '' }: Record<string, string>): string {
  const end = authorization.at(-3) === 'A' ? 'B' : 'A';
  return `${authorization.slice(0, -3)}${end}${authorization.slice(-2)}`;
}

async function checkSignatures(port: number, site: string): Promise<void> {
  const signed = called(site);
  const { headers } = signed;
  const asked = `${publicUrl}${path}`;
  const unsigned = 'not signed as it should be';
  const refusedFirst: [what: string, request: Request, reason: string][] = [
    ['an altered body', { ...signed, body: '{"a":2}' }, 'altered body'],
    ['an altered URI', { ...signed, path: `${path}1` }, `altered, or not called as POST ${asked}1`],
    ['an altered method', { ...signed, method: 'PUT' }, `altered, or not called as PUT ${asked}`],
    [
      'another run',
      { ...signed, headers: { ...headers, 'x-service-run-id': newId(0) } },
      `altered, or not called as POST ${asked}`,
    ],
    [
      'another due time',
      { ...signed, headers: { ...headers, 'x-service-scheduled-for': isoTime(0) } },
      `altered, or not called as POST ${asked}`,
    ],
    ['a body that was added', { ...called(site, {}, null, 'DELETE'), body: 'x' }, unsigned],
    ['an expired signature', called(site, { at: longAgo() }), 'expired, or a clock is wrong: here'],
    ['another site', called('https://other.example.com'), 'another site: "https://other.example'],
    ['another key', called(site, { keyId: 'other' }), 'key'],
    ['a token', called(site, { kind: 'oidc' }), unsigned],
    ['no proof', { ...signed, headers: {} }, unsigned],
  ];
  for (const [what, refused, reason] of refusedFirst) {
    const { status, answer } = await send(port, refused);
    assert.deepEqual([status, answer.includes(reason)], [401, true], `${what}: ${answer}`);
  }
  const runId = headers['x-service-run-id'];
  assert.deepEqual(await send(port, signed), { status: 200, answer: `run ${runId}` });
  assert.deepEqual(await send(port, signed), { status: 401, answer: 'replayed' });
  assert.equal((await send(port, called(site, {}, null))).status, 200, 'without a body');
}

for (const name of ['express', 'fastify', 'hono']) {
  test(`the example for ${name} lets in what jobd sent, once, and nothing else`, async (t) => {
    const site = await startSite(t);
    const [signed, named] = [await ownPort(), await ownPort()];
    const program = [process.execPath, join(examples, `${name}.mjs`)] as const;
    await startProgram(t, [...program], signed, signedBy(site));
    await checkSignatures(signed, site);
    await startProgram(t, [...program], named, envOf(site));
    await checkTokens(named, site);
  });
}

/** A Python that has these modules; undefined if there is none. */
function pythonWith(modules: string): string | undefined {
  return ['python3', '/usr/bin/python3'].find(
    (file) => spawnSync(file, ['-c', `import ${modules}`]).status === 0,
  );
}

for (const name of ['flask', 'django']) {
  const python = pythonWith(`jwt, cryptography, ${name}`);
  const skip =
    python === undefined && `python3-${name}, python3-jwt or python3-cryptography is not installed`;
  test(
    `the example for ${name} lets in what jobd sent, once, and nothing else`,
    { skip },
    async (t) => {
      const site = await startSite(t);
      const [signed, named] = [await ownPort(), await ownPort()];
      const file = join(examples, `${name}_app.py`);
      await startProgram(t, [python ?? '', file], signed, signedBy(site));
      await checkSignatures(signed, site);
      await startProgram(t, [python ?? '', file], named, envOf(site));
      await checkTokens(named, site);
    },
  );
}

for (const { name, command } of [
  { name: 'express', command: [process.execPath, join(examples, 'express.mjs')] },
  { name: 'flask', command: [pythonWith('jwt, cryptography, flask') ?? '', flaskApp] },
]) {
  const [file = '', ...args] = command;
  const skip = file === '' && `what ${name} needs is not installed`;
  test(`jobd calls the example for ${name}, and tells why it was refused`, { skip }, async (t) => {
    const { jobd, url } = await serveCommand(t);
    const [right, wrong] = [await ownPort(), await ownPort()];
    const own = `http://127.0.0.1:${right}`;
    // The second one is told the address of the first, as if a proxy called it by another one.
    for (const port of [right, wrong])
      await startProgram(t, [file, ...args], port, { JOBD_URL: url, PUBLIC_URL: own });
    const runAt = async (job: string, port: number) => {
      const target = [
        '--method',
        'POST',
        '--data',
        '{"a":1}',
        '--url',
        `http://127.0.0.1:${port}/hook?b=%20`,
      ];
      await jobd('jobs', 'create', '--name', job, '--every', '1h', '--sign', 'httpsig', ...target);
      return JSON.parse((await jobd('jobs', 'run', job, '--wait', '--json')).stdout).run;
    };
    const taken = await runAt('right', right);
    assert.deepEqual([taken.status, taken.responseBody], ['success', `run ${taken.id}`]);
    const { id } = await runAt('wrong', wrong);
    assert.match(
      (await jobd('runs', 'get', 'wrong', id)).stdout,
      new RegExp(`altered, or not called as POST ${own}/hook\\?b=%20`),
    );
  });
}

/** What a proxy guards: it says which run the proxy told it of. */
async function startGuarded(t: TestContext): Promise<number> {
  const { url } = await startSink(t, (response, { headers }) => {
    assert.equal(headers.authorization, undefined, 'the token ends at the proxy');
    response.end(`run ${String(headers['x-jobd-run'])}`);
  });
  return Number(new URL(url).port);
}

type Ports = Record<'own' | 'guarded' | 'verifier', number>;

function withPorts(file: string, { guarded, verifier }: Ports): string {
  const config = readFileSync(join(examples, file), 'utf8');
  return config
    .replace('127.0.0.1:8000', `127.0.0.1:${guarded}`)
    .replace('127.0.0.1:9000', `127.0.0.1:${verifier}`);
}

const proxies: Record<string, (directory: string, ports: Ports) => [string, ...string[]]> = {
  nginx(directory, ports) {
    const server = `server { listen 127.0.0.1:${ports.own}; ${withPorts('nginx.conf', ports)} }`;
    const file = join(directory, 'nginx.conf');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${directory}/${name};`,
    );
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${directory}/pid; error_log stderr; events {}
       http { access_log off; ${temporary.join(' ')} ${server} }`,
    );
    return ['nginx', '-e', 'stderr', '-c', file];
  },
  caddy(directory, ports) {
    const file = join(directory, 'Caddyfile');
    const config = withPorts('Caddyfile', ports).replace(
      'example.com',
      `http://127.0.0.1:${ports.own}`,
    );
    writeFileSync(file, `{\n admin off\n auto_https off\n}\n${config}`);
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  },
};

for (const [name, commandOf] of Object.entries(proxies)) {
  const isMissing = spawnSync(name, ['-v']).error !== undefined;
  const skip = isMissing && `${name} is not installed`;
  test(`${name} lets in what a verifier behind it lets in`, { skip }, async (t) => {
    const site = await startSite(t);
    const ports = {
      own: await ownPort(),
      guarded: await startGuarded(t),
      verifier: await ownPort(),
    };
    const verifier = join(examples, 'verifier.mjs');
    await startProgram(t, [process.execPath, verifier], ports.verifier, envOf(site));
    const directory = temporaryDirectory(t);
    await startProgram(t, commandOf(directory, ports), ports.own, { HOME: directory });
    await checkTokens(ports.own, site);
  });
}

test('the page shows the examples as they are', () => {
  const file = join(root, 'verify-calls.md');
  const page = readFileSync(file, 'utf8');
  const blocks = /<!-- (examples\/verify-calls\/[\w./]+) -->\n\n```(\w*)\n[^]*?\n```/g;
  let count = 0;
  const expected = page.replaceAll(blocks, (_block, name: string, language: string) => {
    count += 1;
    const example = readFileSync(join(root, name), 'utf8').trimEnd();
    return `<!-- ${name} -->\n\n\`\`\`${language}\n${example}\n\`\`\``;
  });
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, expected);
  else assert.equal(page, expected, 'UPDATE_GOLDENS=1 brings the page up to date');
  assert.equal(count, 12);
});
