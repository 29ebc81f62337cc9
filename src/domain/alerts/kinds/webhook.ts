/** Webhook: the alert itself as JSON, signed by Standard Webhooks (standardwebhooks.com, version 1). */

import { checkForm, checkUrl, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

/** `whsec_` and 24 to 64 bytes in base64. */
const secretForm = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const secretRule = 'whsec_ and 24 to 64 bytes in base64';
const secretHelp = `${secretRule} (echo whsec_$(openssl rand -base64 32) makes one)`;

export const webhook: ChannelKind = {
  fields: {
    url: { description: 'where alerts are posted', given: 'either', check: checkUrl },
    secret: {
      description: `the signing secret, ${secretRule}; generated if not given`,
      isOptional: true,
      check: checkForm(secretForm, secretHelp, { isSecret: true }),
      generate: (random) => `whsec_${Buffer.from(random).toString('base64')}`,
      parts: (secret) => [secret.replace(/^whsec_/, '')],
    },
  },
  example: { url: 'https://ops.example.com/alerts' },
  message: (alert, { url = '', secret = '' }) => ({ ...jsonMessage(url, alert), signWith: secret }),
};
