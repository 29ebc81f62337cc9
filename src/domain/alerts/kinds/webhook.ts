/** Webhook: the alert itself as JSON, signed as Standard Webhooks says (standardwebhooks.com, version 1). */

import { checkForm, checkUrl, field, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

/** `whsec_` and 24 to 64 bytes in base64. */
const secretForm = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const webhook: ChannelKind = {
  fields: { url: 'required', secret: 'optional' },
  check(config, allowTargets) {
    checkUrl(config, allowTargets);
    const rule = 'whsec_ and 24 to 64 bytes in base64';
    checkForm(config, 'secret', { form: secretForm, rule, isSecret: true });
  },
  message: (alert, config) => ({
    ...jsonMessage(field(config, 'url'), alert),
    signWith: field(config, 'secret'),
  }),
};
