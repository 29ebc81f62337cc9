/** ntfy: JSON to the root of the server, so that no job name is in a header. Over 4,096 bytes it would become an attachment. */

import { cut, textOf } from '../text.ts';
import type { AlertType } from '../alert.ts';
import { invalidInput } from '../../errors.ts';
import { checkForm, checkUrl, jsonMessage, type ChannelKind } from './kind.ts';

/** A character has at most three bytes of UTF-8 for each of its UTF-16 units. */
const longestMessage = Math.floor(4_096 / 3);
const longestTitle = 250;

const urgent = 4;
const normal = 3;
const styles: Record<AlertType, { tags: string[]; priority: number }> = {
  'job.failed': { tags: ['rotating_light'], priority: urgent },
  'monitor.down': { tags: ['rotating_light'], priority: urgent },
  'job.recovered': { tags: ['white_check_mark'], priority: normal },
  'monitor.up': { tags: ['white_check_mark'], priority: normal },
  'job.missed': { tags: ['warning'], priority: urgent },
  'job.interrupted': { tags: ['warning'], priority: urgent },
  'run.finished': { tags: ['checkered_flag'], priority: normal },
  reminder: { tags: ['rotating_light'], priority: urgent },
  test: { tags: ['wave'], priority: normal },
};

export const ntfy: ChannelKind = {
  fields: {
    url: {
      description: 'server and topic, such as `https://ntfy.sh/my-topic`',
      given: 'either',
      check(value, name, rules) {
        checkUrl(value, name, rules);
        const { pathname, search, hash } = new URL(value);
        if (/^\/[-_A-Za-z0-9]{1,64}$/.test(pathname) && search === '' && hash === '') return;
        throw invalidInput(`${name} must end in a topic, as https://ntfy.sh/my-topic does`);
      },
    },
    token: {
      description: 'an access token, if the topic needs one',
      isOptional: true,
      check: checkForm(/^[A-Za-z0-9_.~+/=-]{1,200}$/, 'an access token of ntfy, as tk_…'),
    },
  },
  example: { url: 'https://ntfy.sh/my-topic', token: 'tk_XXXXXXXXXXXX' },
  message(alert, { url = '', token }) {
    const { origin, pathname } = new URL(url);
    const { title, lines } = textOf(alert);
    return jsonMessage(
      `${origin}/`,
      {
        topic: pathname.slice(1),
        title: cut(title, longestTitle),
        message: cut(lines.join('\n'), longestMessage),
        ...styles[alert.type],
      },
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );
  },
};
