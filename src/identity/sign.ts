/** Signs calls. It runs in the thread of calls, just before an attempt is sent, as the thread of the store has no time left. */

import { hash, randomBytes, sign } from 'node:crypto';
import { signatureLabel, unsignedHeaders } from '../domain/proof/http-signature.ts';
import { tokenClaims, tokenHeader } from '../domain/proof/token.ts';
import type { Caller } from '../domain/proof/caller.ts';
import type { CallSigner } from './keyring.ts';

/** A request as it is about to be sent. */
export interface Outgoing {
  method: string;
  targetUri: string;
  body: string | null;
  timeoutMs: number;
}

/** The headers that say who calls, and the one secret among them: whoever has a token can use it until it expires. */
export interface Identification {
  headers: Record<string, string>;
  token: string | null;
}

/** As many as the draft of web-bot-auth recommends. */
const nonceBytes = 64;
const tokenIdBytes = 16;

/** Asking for many bytes at once takes a tenth of the time. */
const drawnBytes = 4_096;
let drawn = Buffer.alloc(0);

/** Random bytes that nobody else gets. */
function freshBytes(count: number): Buffer {
  if (drawn.length < count) drawn = randomBytes(drawnBytes);
  const taken = drawn.subarray(0, count);
  drawn = drawn.subarray(count);
  return taken;
}

/** Signs an attempt with the key that its caller names. */
export function identify(request: Outgoing, caller: Caller, key: CallSigner): Identification {
  return caller.kind === 'httpsig'
    ? { headers: signedHeaders(request, caller, key), token: null }
    : withToken(signedToken(request, caller, key));
}

function signedHeaders(
  { body, ...request }: Outgoing,
  caller: Caller,
  { privateKey }: CallSigner,
): Record<string, string> {
  const bodySha256 = body === null ? null : hash('sha256', body, 'base64');
  const nonce = freshBytes(nonceBytes).toString('base64');
  const { headers, base } = unsignedHeaders({ ...request, bodySha256 }, caller, nonce);
  const signature = sign(null, Buffer.from(base), privateKey).toString('base64');
  return { ...headers, signature: `${signatureLabel}=:${signature}:` };
}

function signedToken(
  { timeoutMs }: Outgoing,
  caller: Caller,
  { algorithm, keyId, privateKey }: CallSigner,
): string {
  const id = freshBytes(tokenIdBytes).toString('base64url');
  const claims = JSON.stringify(tokenClaims(caller, timeoutMs, id));
  const text = `${base64url(tokenHeader(algorithm, keyId))}.${base64url(claims)}`;
  const digest = algorithm === 'RS256' ? 'sha256' : null;
  return `${text}.${sign(digest, Buffer.from(text), privateKey).toString('base64url')}`;
}

function withToken(token: string): Identification {
  return { headers: { authorization: `Bearer ${token}` }, token };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
