/**
 * Gotify: a message of an application (gotify.net/docs/pushmsg), in plain text. The token is sent in a header. Who answers
 * 2xx without the `id` of a message is no Gotify, such as a page to sign in before it.
 */

import { isUrgent } from '../incident.ts';
import { cut, textOf } from '../text.ts';
import { baseOf, checkBaseUrl, checkForm, jsonMessage, type ChannelKind } from './kind.ts';

const longestMessage = 4_000;
const longestTitle = 250;
/** From 8 on the app is loud, from 4 on it makes a sound. */
const urgent = 8;
const normal = 4;

export const gotify: ChannelKind = {
  fields: {
    url: { description: 'the server', given: 'either', check: checkBaseUrl },
    token: {
      description: 'the token of an application',
      check: checkForm(/^[A-Za-z0-9._-]{1,200}$/, 'the token of an application of Gotify'),
    },
  },
  example: { url: 'https://gotify.example.com', token: 'AXXXXXXXXXXXXXX' },
  message(alert, { url = '', token = '' }) {
    const { title, lines } = textOf(alert);
    const document = {
      title: cut(title, longestTitle),
      message: cut(lines.join('\n'), longestMessage),
      priority: isUrgent(alert) ? urgent : normal,
    };
    return jsonMessage(`${baseOf(url)}/message`, document, { 'x-gotify-key': token });
  },
  isTaken: (body) => /^\s*\{.*"id"\s*:\s*\d/s.test(body),
};
