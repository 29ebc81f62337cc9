/**
 * Matrix: a message in a room (spec.matrix.org/latest/client-server-api, "Sending events to a room"). The id of the delivery
 * is the transaction id, so the server takes an alert that is sent again only once. It is plain text, and an empty
 * `m.mentions` mentions nobody, whatever a name contains. Who answers 2xx without an `event_id` is no homeserver.
 */

import { plainText, textOf } from '../text.ts';
import { baseOf, checkBaseUrl, checkForm, jsonMessage, type ChannelKind } from './kind.ts';

/** An event has at most 64 KiB. */
const longestText = 4_000;

export const matrix: ChannelKind = {
  fields: {
    url: { description: 'the homeserver', given: 'either', check: checkBaseUrl },
    room: {
      description: 'the id of the room, such as `!abc:example.org`',
      given: 'typed',
      check: checkForm(
        /^![^\s/?#\\]{1,250}$/,
        'the id of a room, which begins with ! (its settings show it), not an alias',
        { isShown: true },
      ),
      // Its name, also as it is in the path. That of the server is no secret.
      parts: (room) => room.split(':', 1).flatMap((name) => [name, encodeURIComponent(name)]),
    },
    token: {
      description: 'the access token of a user who is in the room',
      check: checkForm(/^[A-Za-z0-9._~+/=-]{1,2000}$/, 'an access token of Matrix'),
    },
  },
  example: {
    url: 'https://matrix.example.org',
    room: '!XXXXXXXXXXXXXXXXXX:example.org',
    token: 'syt_XXXXXXXXXXXX',
  },
  message(alert, { url = '', room = '', token = '' }, id) {
    const path = `_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${id}`;
    // m.text, as clients do not notify of a notice.
    const event = { msgtype: 'm.text', body: plainText(textOf(alert), longestText) };
    return {
      ...jsonMessage(
        `${baseOf(url)}/${path}`,
        { ...event, 'm.mentions': {} },
        { authorization: `Bearer ${token}` },
      ),
      method: 'PUT',
    };
  },
  isTaken: (body) => /"event_id"\s*:\s*"/.test(body),
};
