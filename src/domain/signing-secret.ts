/** The secret that signs messages by Standard Webhooks (standardwebhooks.com, version 1). */

import { invalidInput } from './errors.ts';

/** `whsec_` and 24 to 64 bytes in base64. */
const form = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
export const signingSecretRule = 'whsec_ and 24 to 64 bytes in base64';

/** Throws `invalid_input` for a secret of another form, without repeating it. */
export function checkSigningSecret(secret: string, name: string): void {
  if (form.test(secret)) return;
  const help = 'echo whsec_$(openssl rand -base64 32) makes one';
  throw invalidInput(`${name} must be ${signingSecretRule} (${help})`);
}
