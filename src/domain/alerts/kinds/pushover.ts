/**
 * Pushover: the Message API (pushover.net/api). A message has at most 1,024 characters and is shown as it is (`html` is off),
 * a title 250. An answer says `"status":1` if the message was taken. Priority 2 repeats until somebody confirms it, and needs
 * `retry` and `expire`.
 */

import { isUrgent } from '../incident.ts';
import { cut, textOf } from '../text.ts';
import { checkForm, jsonMessage, type ChannelKind } from './kind.ts';

const longestMessage = 1_024;
const longestTitle = 250;
/** Every minute, for an hour; in seconds. */
const untilConfirmed = { retry: 60, expire: 3_600 };

const checkKey = checkForm(/^[A-Za-z0-9]{30}$/, '30 letters and digits, as Pushover shows it');

export const pushover: ChannelKind = {
  fields: {
    token: { description: 'the API token of your application', check: checkKey },
    user: { description: 'the key of a user or a group', check: checkKey },
    priority: {
      description: 'the priority of failures, `-2` to `2` (default `1`); recoveries have at most 0',
      isOptional: true,
      given: 'typed',
      check: checkForm(/^(?:-[12]|[012])$/, 'a number from -2 to 2', { isShown: true }),
    },
  },
  example: {
    token: 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
    user: 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
    priority: '1',
  },
  message(alert, { token = '', user = '', priority: given = '1' }) {
    const { title, lines } = textOf(alert);
    const priority = isUrgent(alert) ? Number(given) : Math.min(Number(given), 0);
    return jsonMessage('https://api.pushover.net/1/messages.json', {
      token,
      user,
      title: cut(title, longestTitle),
      message: cut(lines.join('\n'), longestMessage),
      priority,
      ...(priority === 2 && untilConfirmed),
    });
  },
  isTaken: (body) => /"status"\s*:\s*1\b/.test(body),
};
