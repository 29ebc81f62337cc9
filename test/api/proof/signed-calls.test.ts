/** What targets get of jobs with `sign`, checked with libraries that know nothing of jobd (docs/behavior.md#identity-1). */

import assert from 'node:assert/strict';
import { createPublicKey, hash, verify as verifyNatively } from 'node:crypto';
import { test } from 'node:test';
import { httpbis } from 'http-message-signatures';
import { createRemoteJWKSet, jwtVerify, errors } from 'jose';
import { helpers, jwkToKeyID, verify as verifyBot } from 'web-bot-auth';
import { verifierFromJWK } from 'web-bot-auth/crypto';
import { callSigned, type SignedCall } from '../../support/running/signed-call.ts';
import { until } from '../../support/until.ts';

const body = '{"hello": "wörld"}';
const post = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };

interface PublishedKey extends Record<string, string> {
  kid: string;
}

async function directoryOf({ daemon }: SignedCall): Promise<PublishedKey[]> {
  const path = '/.well-known/http-message-signatures-directory';
  const { headers, body: directory } = await daemon.askSite('GET', path);
  assert.equal(headers.get('cache-control'), 'public, max-age=300');
  return directory.keys;
}

/** Whether a library accepts the request. */
async function isSigned(call: SignedCall, change: object = {}): Promise<boolean> {
  const [key = assert.fail()] = await directoryOf(call);
  const { method, headers } = call.received;
  const request = { method, url: call.url, headers: headers as Record<string, string>, ...change };
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const found = await httpbis.verifyMessage(
    {
      all: true,
      requiredFields: [
        '@method',
        '@target-uri',
        'x-service-run-id',
        'x-service-scheduled-for',
        'signature-agent',
      ],
      requiredParams: ['created', 'expires', 'nonce', 'keyid'],
      keyLookup: async ({ keyid }) =>
        keyid !== key.kid
          ? null
          : {
              id: keyid,
              algs: ['ed25519'],
              verify: async (data, signature) => verifyNatively(null, data, publicKey, signature),
            },
    },
    request,
  );
  return found === true;
}

test('http-message-signatures and web-bot-auth accept a signed call, and no changed one', async (t) => {
  const call = await callSigned(t, { ...post, sign: 'httpsig' });
  const { received, run, daemon, url } = call;
  assert.equal(received.headers['x-service-run-id'], run.id);
  assert.equal(received.headers['signature-agent'], `"${daemon.url}"`);
  assert.equal(
    received.headers['content-digest'],
    `sha-256=:${hash('sha256', received.body, 'base64')}:`,
  );
  assert.equal(received.body, body);
  assert.ok(await isSigned(call));
  assert.ok(!(await isSigned(call, { url: `${url}1` }).catch(() => false)), 'another URI');
  assert.ok(!(await isSigned(call, { method: 'PUT' }).catch(() => false)), 'another method');
  const own = ['x-service-run-id', 'x-service-scheduled-for'];
  for (const name of [...own, 'content-digest', 'signature-agent']) {
    const headers = { ...received.headers, [name]: 'another' };
    assert.ok(!(await isSigned(call, { headers }).catch(() => false)), `another ${name}`);
  }

  const [key = assert.fail()] = await directoryOf(call);
  const thumbprint = await jwkToKeyID(key, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE);
  assert.equal(thumbprint, key.kid);
  const request = new Request(url, {
    method: 'POST',
    body,
    headers: received.headers as Record<string, string>,
  });
  await verifyBot(request, await verifierFromJWK(key));
  const moved = new Request(`${url}1`, request.clone());
  await assert.rejects(async () => await verifyBot(moved, await verifierFromJWK(key)));
});

test('a signed call without a body has no digest, and each call a nonce of its own', async (t) => {
  const first = await callSigned(t, { sign: 'httpsig' });
  assert.equal(first.received.headers['content-digest'], undefined);
  assert.ok(await isSigned(first));
  const second = await callSigned(t, { sign: 'httpsig' }, first.daemon);
  const nonces = [first, second].map(
    ({ received }) => /nonce="([^"]+)"/.exec(String(received.headers['signature-input']))?.[1],
  );
  assert.deepEqual(
    nonces.map((nonce) => Buffer.from(nonce ?? '', 'base64').length),
    [64, 64],
  );
  assert.notEqual(nonces[0], nonces[1]);
});

for (const [sign, algorithm] of [
  ['oidc', 'EdDSA'],
  ['oidc-rs256', 'RS256'],
] as const) {
  test(`jose accepts the token of ${sign} by the discovery document, for its audience only`, async (t) => {
    const audience = 'https://api.example.com';
    const call = await callSigned(t, { sign, audience });
    const { daemon, received, run, job } = call;
    const { body: discovery } = await daemon.askSite('GET', '/.well-known/openid-configuration');
    assert.ok(discovery.id_token_signing_alg_values_supported.includes(algorithm));
    const keys = createRemoteJWKSet(new URL(discovery.jwks_uri));
    const token = String(received.headers.authorization).replace('Bearer ', '');
    const { issuer } = discovery;
    const rules = { issuer, audience, algorithms: [algorithm], requiredClaims: ['jti', 'exp'] };
    const { payload, protectedHeader } = await jwtVerify(token, keys, rules);
    const { body: me } = await daemon.ask('GET', '/me');
    const workspaceId = me.workspace.id;
    assert.equal(protectedHeader.alg, algorithm);
    assert.deepEqual(
      { ...payload, iat: 0, nbf: 0, exp: (payload.exp ?? 0) - (payload.iat ?? 0), jti: '' },
      {
        iss: daemon.url,
        sub: `workspace:${workspaceId}:job:${job.id}`,
        aud: audience,
        iat: 0,
        nbf: 0,
        exp: 90,
        jti: '',
        workspace_id: workspaceId,
        job_id: job.id,
        run_id: run.id,
        scheduled_for: run.scheduledFor,
      },
    );
    assert.deepEqual(Object.keys(payload).toSorted(), discovery.claims_supported.toSorted());
    const refused = (change: object) => jwtVerify(token, keys, { ...rules, ...change });
    await assert.rejects(refused({ audience: 'https://other.example.com' }), errors.JOSEError);
    await assert.rejects(
      refused({ currentDate: new Date(Date.now() + 91_000) }),
      errors.JWTExpired,
    );
    assert.equal(run.responseBody, 'you sent Bearer [redacted]', 'the token is not kept');
  });
}

test('no key is made and no document has one until a job asks for it', async (t) => {
  const { daemon, received } = await callSigned(t, {});
  const documents = ['jwks.json', 'http-message-signatures-directory'];
  for (const name of documents) {
    assert.deepEqual((await daemon.askSite('GET', `/.well-known/${name}`)).body, { keys: [] });
  }
  const added = ['signature', 'signature-input', 'signature-agent', 'content-digest'];
  for (const name of [...added, 'authorization']) assert.equal(received.headers[name], undefined);
  await callSigned(t, { sign: 'oidc-rs256', audience: 'a' }, daemon);
  await until('the new key is published', async () => {
    const { body: keySet } = await daemon.askSite('GET', '/.well-known/jwks.json');
    return keySet.keys.map(({ alg }: { alg: string }) => alg).join(' ') === 'RS256';
  });
  const { body: directory } = await daemon.askSite('GET', `/.well-known/${documents[1]}`);
  assert.deepEqual(directory, { keys: [] }, 'a directory has keys of Ed25519');
});
