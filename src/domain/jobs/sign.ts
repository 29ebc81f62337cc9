/** How the calls of a job say who makes them (docs/behavior.md#identity-1): the rules for `sign`, `audience` and the headers they set. */

import { got, invalidInput } from '../errors.ts';

/** `httpsig` signs the request (RFC 9421); the others send a token, signed with Ed25519 or with RSA. */
export const signKinds = ['httpsig', 'oidc', 'oidc-rs256'] as const;
export type SignKind = (typeof signKinds)[number];

/** What a job says of its caller; null where it says nothing. */
export interface Signing {
  sign: SignKind | null;
  audience: string | null;
}

/** Whether calls carry a token. */
export function sendsToken(sign: SignKind | null): boolean {
  return sign !== null && sign !== 'httpsig';
}

/** The fields after a change: an audience goes with the tokens that it is for. */
export function changedSigning(before: Signing, update: Partial<Signing>): Signing {
  const sign = update.sign === undefined ? before.sign : update.sign;
  if (update.audience !== undefined) return { sign, audience: update.audience };
  return { sign, audience: sendsToken(sign) ? before.audience : null };
}

/** Headers that jobd sets where a job asks for it. */
const setFor: Readonly<Record<'signature' | 'token', readonly string[]>> = {
  signature: ['signature', 'signature-input', 'signature-agent', 'content-digest'],
  token: ['authorization'],
};

/** Checks the fields together, and that no header is set twice. Throws `invalid_input`. */
export function checkSigning(
  { sign, audience }: Signing,
  headers: Readonly<Record<string, string>>,
): void {
  if (sendsToken(sign)) {
    if (audience === null) {
      throw invalidInput(
        `audience is needed with sign ${sign}: it names who the token is for, such as https://api.example.com`,
      );
    }
    checkAudience(audience);
  } else if (audience !== null) {
    const why = 'only tokens name one';
    throw invalidInput(`audience is for sign oidc and oidc-rs256: ${why}, got sign ${sign}`);
  }
  if (sign === null) return;
  const own = setFor[sendsToken(sign) ? 'token' : 'signature'];
  const taken = Object.keys(headers).find((name) => {
    return own.includes(name.toLowerCase().replaceAll('_', '-'));
  });
  if (taken === undefined) return;
  throw invalidInput(
    `headers must not contain ${taken} with sign ${sign}, which sets it: remove the header, or set sign to null`,
  );
}

function checkAudience(audience: string): void {
  if (/^[\x21-\x7e]+$/.test(audience)) return;
  throw invalidInput(
    `audience must be visible ASCII characters without spaces, such as a URI, ${got(audience)}`,
  );
}
