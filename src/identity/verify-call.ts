/** The verdict on a saved request: whether a site that is trusted made it, and which of its jobs. Everything else is refused. */

import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import { callAlgorithms, type CallAlgorithm, type CallJwk } from '../domain/proof/call-key.ts';
import { contentDigest, signatureBase, signatureTag } from '../domain/proof/http-signature.ts';
import type { Component } from '../domain/proof/http-signature.ts';
import { isoTime } from '../domain/clock.ts';
import { invalidInput } from '../domain/errors.ts';
import { thumbprint } from './keyring.ts';
import type { SavedRequest } from './raw-request.ts';
import { readSignature, type ReadSignature } from './structured-fields.ts';

/** The trusted public keys, by id. */
export type CallKeysById = ReadonlyMap<string, TrustedKey>;

interface TrustedKey {
  algorithm: CallAlgorithm;
  publicKey: KeyObject;
}

/** What is asked besides the signature. */
export interface Question {
  /** In epoch milliseconds. */
  at: number;
  /** Who a token must be for: only a token is valid then. Null if that is not asked. */
  audience: string | null;
}

/** Who called, as far as the request says. `reason` is a clause for people. */
export type CallVerdict =
  | {
      verdict: 'valid';
      kind: 'httpsig' | 'oidc';
      keyId: string;
      issuer: string;
      workspaceId: string | null;
      jobId: string | null;
      runId: string;
      /** The due time that the run stands for. */
      scheduledFor: string;
      audience: string | null;
      /** What nobody can have changed. */
      covered: readonly string[];
      expiresAt: string;
    }
  | { verdict: 'invalid'; reason: string };

/** Why a request is not valid. */
class Invalid extends Error {}

/** Clocks differ. */
const leewaySeconds = 30;

/** Checks a request by whichever proof it carries. */
export function verifyCall(
  request: SavedRequest,
  keys: CallKeysById,
  question: Question,
): CallVerdict {
  try {
    const mayBeSigned = question.audience === null;
    if (mayBeSigned && request.headers.has('signature'))
      return verifySignature(request, keys, question);
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token !== undefined) return verifyToken(request, token, keys, question);
    throw new Invalid(
      mayBeSigned
        ? 'it carries neither a Signature nor a Bearer token'
        : 'it carries no token, and only a token has an audience',
    );
  } catch (error) {
    if (error instanceof Invalid) return { verdict: 'invalid', reason: error.message };
    throw error;
  }
}

/** Reads key sets: `/.well-known/jwks.json`, a directory, or one key. Throws `invalid_input` if one is none. */
export function readCallKeys(documents: readonly unknown[]): CallKeysById {
  const keys = new Map<string, TrustedKey>();
  for (const document of documents) {
    const { keys: listed = [document] } = objectOf(document) as { keys?: unknown };
    if (!Array.isArray(listed)) throw noKeys('keys is no array');
    for (const key of listed) {
      const jwk = jwkOf(objectOf(key));
      const algorithm = jwk.kty === 'OKP' ? 'EdDSA' : 'RS256';
      keys.set(thumbprint(jwk), { algorithm, publicKey: publicKeyOf(jwk) });
    }
  }
  if (keys.size === 0) throw noKeys('there is no key in it');
  return keys;
}

function jwkOf({ kty, crv, x, n, e, d }: Record<string, unknown>): CallJwk {
  if (d !== undefined) throw noKeys('it has a private key, which nobody else may have');
  if (kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string') return { kty, crv, x };
  if (kty === 'RSA' && typeof n === 'string' && typeof e === 'string') return { kty, n, e };
  throw noKeys('a key is neither of Ed25519 nor of RSA');
}

function publicKeyOf(jwk: CallJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    throw noKeys('a key is damaged');
  }
}

function verifySignature(request: SavedRequest, keys: CallKeysById, { at }: Question): CallVerdict {
  const { method, targetUri, headers, body } = request;
  const found = readSignature(headers.get('signature-input') ?? '', headers.get('signature') ?? '');
  if (found === null) throw new Invalid('its Signature and Signature-Input cannot be read');
  const { names, params, parameters, signature } = found;
  const { created, expires, keyid, tag, alg = 'ed25519' } = parameters;
  if (tag !== signatureTag) throw new Invalid(`its tag is ${shown(tag)}, not ${signatureTag}`);
  if (alg !== 'ed25519') throw new Invalid(`its alg is ${shown(alg)}, not ed25519`);
  for (const name of mustCover(body)) {
    if (!names.includes(name)) throw new Invalid(`its signature does not cover ${name}`);
  }
  const derived: Record<string, string> = { '@method': method, '@target-uri': targetUri };
  const components = names.map((name): Component => {
    const value = derived[name] ?? headers.get(name);
    if (value === undefined) throw new Invalid(`it lacks ${shown(name)}, which is signed`);
    return [name, value];
  });
  const base = Buffer.from(signatureBase(components, params));
  requireSigned(keys, { keyId: textOf(keyid), algorithm: 'EdDSA', text: base, signature });
  requireTime({ from: created, until: expires }, at);
  if (names.includes('content-digest') && !hasDigest(headers.get('content-digest'), body)) {
    throw new Invalid('its body is another one than its Content-Digest says');
  }
  return {
    verdict: 'valid',
    kind: 'httpsig',
    keyId: textOf(keyid),
    issuer: (headers.get('signature-agent') ?? '').replace(/^"(.*)"$/, '$1'),
    workspaceId: null,
    jobId: null,
    runId: headers.get('x-service-run-id') ?? '',
    scheduledFor: headers.get('x-service-scheduled-for') ?? '',
    audience: null,
    covered: names,
    expiresAt: isoTime(Number(expires) * 1_000),
  };
}

/** What a signature must cover, or others could change it. */
function mustCover(body: Uint8Array): string[] {
  const names = ['x-service-run-id', 'x-service-scheduled-for', 'signature-agent'];
  return ['@method', '@target-uri', ...names, ...(body.length === 0 ? [] : ['content-digest'])];
}

function hasDigest(header: string | undefined, body: Uint8Array): boolean {
  return header === contentDigest(hash('sha256', body, 'base64'));
}

function verifyToken(
  { headers }: SavedRequest,
  token: string,
  keys: CallKeysById,
  { at, audience }: Question,
): CallVerdict {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(token);
  if (parts === null) throw new Invalid('its token is no JWT');
  const [, head = '', claimed = '', signature = ''] = parts;
  const { alg, kid } = decoded(head);
  const algorithm = callAlgorithms.find((known) => known === alg);
  if (algorithm === undefined) throw new Invalid(`the alg of its token is ${shown(alg)}`);
  requireSigned(keys, {
    keyId: textOf(kid),
    algorithm,
    text: Buffer.from(`${head}.${claimed}`),
    signature: Buffer.from(signature, 'base64url'),
  });
  const claims = decoded(claimed);
  requireTime({ from: claims['nbf'], until: claims['exp'] }, at);
  const aud = textOf(claims['aud']);
  if (audience !== null && aud !== audience) {
    throw new Invalid(`its token is for ${shown(aud)}, not ${shown(audience)}`);
  }
  const runId = textOf(claims['run_id']);
  const scheduledFor = textOf(claims['scheduled_for']);
  for (const [name, value] of [
    ['X-Service-Run-Id', runId],
    ['X-Service-Scheduled-For', scheduledFor],
  ] as const) {
    const sent = headers.get(name.toLowerCase()) ?? value;
    if (sent !== value) throw new Invalid(`its ${name} is not that of its token`);
  }
  return {
    verdict: 'valid',
    kind: 'oidc',
    keyId: textOf(kid),
    issuer: textOf(claims['iss']),
    workspaceId: textOf(claims['workspace_id']),
    jobId: textOf(claims['job_id']),
    runId,
    scheduledFor,
    audience: aud,
    covered: ['workspace', 'job', 'run', 'scheduled for', 'audience'],
    expiresAt: isoTime(Number(claims['exp']) * 1_000),
  };
}

interface Signed {
  keyId: string;
  algorithm: CallAlgorithm;
  text: Uint8Array;
  signature: ReadSignature['signature'];
}

function requireSigned(keys: CallKeysById, { keyId, algorithm, text, signature }: Signed): void {
  const key = keys.get(keyId);
  if (key === undefined) {
    throw new Invalid(
      `its key ${shown(keyId)} is not trusted (trusted: ${[...keys.keys()].join(', ')})`,
    );
  }
  if (key.algorithm !== algorithm) throw new Invalid(`its key ${keyId} is not for ${algorithm}`);
  const digest = algorithm === 'RS256' ? 'sha256' : null;
  if (verify(digest, text, key.publicKey, signature)) return;
  throw new Invalid(`the signature by the key ${keyId} does not match the request`);
}

function requireTime({ from, until }: Record<'from' | 'until', unknown>, at: number): void {
  if (typeof from !== 'number' || typeof until !== 'number') {
    throw new Invalid('it does not say when it expires');
  }
  const seconds = at / 1_000;
  if (seconds > until) throw new Invalid(`it expired at ${isoTime(until * 1_000)}`);
  if (seconds < from - leewaySeconds) {
    throw new Invalid(`it is valid from ${isoTime(from * 1_000)}`);
  }
}

function decoded(part: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    throw new Invalid('its token cannot be read');
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw noKeys('it is no JSON object');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text of others, shortened and in printable ASCII. */
function shown(value: unknown): string {
  return JSON.stringify(textOf(value).slice(0, 100)).replace(/[^ -~]/g, '?');
}

function noKeys(why: string): Error {
  return invalidInput(`the keys cannot be used: ${why}`);
}
