/** Webhook: the alert itself as JSON, signed by Standard Webhooks (standardwebhooks.com, version 1). */

import { checkSigningSecret, signingSecretRule } from '../../signing-secret.ts';
import { checkUrl, jsonMessage, type ChannelKind } from './kind.ts';

export const webhook: ChannelKind = {
  fields: {
    url: { description: 'where alerts are posted', given: 'either', check: checkUrl },
    secret: {
      description: `the signing secret, ${signingSecretRule}; generated if not given`,
      isOptional: true,
      check: checkSigningSecret,
      generate: (random) => `whsec_${Buffer.from(random).toString('base64')}`,
      parts: (secret) => [secret.replace(/^whsec_/, '')],
    },
  },
  example: { url: 'https://ops.example.com/alerts' },
  // The receiver is somebody's own program, which may be missing or refuse while a new version of it starts.
  attemptsIfRefused: 5,
  message: (alert, { url = '', secret = '' }) => ({ ...jsonMessage(url, alert), signWith: secret }),
};
