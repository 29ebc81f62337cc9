/** The ping URL of a monitor as a server gives it: people paste it into a shell. */

import { JobdError } from '../../domain/errors.ts';
import { plain } from '../terminal/text.ts';

/** Nothing in it means anything to a shell or to cron. */
const pattern = /^https?:\/\/[\w.:[\]/-]+$/;

/** A ping URL that may be pasted into a line. Throws `unreachable` for one that jobd does not make. */
export function requirePingUrl(url: string): string {
  if (pattern.test(url)) return url;
  throw new JobdError(
    'unreachable',
    `the server does not answer like jobd: ${plain(url.slice(0, 100))} is no ping URL`,
  );
}
