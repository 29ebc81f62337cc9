/** The log: one JSON object a line, on stderr. */

import { destination, pino } from 'pino';
import type { Logger } from 'pino';

/** What the parts of the program need of the log. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Opens the log. Errors are logged with type, message and stack under `err`. */
export function openLog(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    destination({ dest: 2, sync: true }),
  );
}
