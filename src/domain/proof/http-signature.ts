/** The text that an HTTP message signature signs (RFC 9421, section 2.5). `identity/sign.ts` signs it. */

import { validity, type Caller } from './caller.ts';

/** A covered component: its name, and its value as it is signed. */
export type Component = readonly [name: string, value: string];

/** The parameters of a signature, in the order in which they are written. */
export interface SignatureParameters {
  created?: number;
  expires?: number;
  nonce?: string;
  alg?: string;
  keyid?: string;
  tag?: string;
}

/** Says that a signature identifies a program by a published key directory. */
const signatureTag = 'web-bot-auth';
/** The name of the one signature of a request. */
export const signatureLabel = 'sig1';

/** A string of structured fields (RFC 8941, section 3.3.3). The text must be printable ASCII. */
export function quoted(text: string): string {
  return /[\\"]/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : `"${text}"`;
}

/** The value of `@signature-params`, and of `Signature-Input` after its label. */
export function signatureParams(names: readonly string[], parameters: SignatureParameters): string {
  const written = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `;${name}=${typeof value === 'number' ? value : quoted(String(value))}`,
    );
  return `(${names.map(quoted).join(' ')})${written.join('')}`;
}

/** The signature base. `params` is what `signatureParams` returned, or what came in `Signature-Input`. */
export function signatureBase(components: readonly Component[], params: string): string {
  const lines = components.map(([name, value]) => `${quoted(name)}: ${value}\n`);
  return `${lines.join('')}"@signature-params": ${params}`;
}

/** The value of `Content-Digest` (RFC 9530) for a digest in base64. */
export function contentDigest(sha256: string): string {
  return `sha-256=:${sha256}:`;
}

export interface SignedRequest {
  method: string;
  /** The whole URL as it is called, without a fragment. */
  targetUri: string;
  /** SHA-256 of the body in base64; null if there is no body, which then has no digest either. */
  bodySha256: string | null;
  timeoutMs: number;
}

/** The headers of a signed request without `Signature`, and the text to sign. `nonce` must differ in each. */
export function unsignedHeaders(
  { method, targetUri, bodySha256, timeoutMs }: SignedRequest,
  { issuer, runId, scheduledFor, keyId, at }: Caller,
  nonce: string,
): { headers: Record<string, string>; base: string } {
  const agent = quoted(issuer);
  const digest = bodySha256 === null ? null : contentDigest(bodySha256);
  const components: Component[] = [
    ['@method', method],
    ['@target-uri', targetUri],
    ['x-service-run-id', runId],
    ['x-service-scheduled-for', scheduledFor],
    ...(digest === null ? [] : [['content-digest', digest] as const]),
    ['signature-agent', agent],
  ];
  const { from: created, until: expires } = validity(at, timeoutMs);
  const params = signatureParams(
    components.map(([name]) => name),
    { created, expires, nonce, keyid: keyId, tag: signatureTag },
  );
  return {
    headers: {
      ...(digest !== null && { 'content-digest': digest }),
      'signature-agent': agent,
      'signature-input': `${signatureLabel}=${params}`,
    },
    base: signatureBase(components, params),
  };
}
