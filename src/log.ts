/** The log: one JSON object a line, on stderr. */

import { destination, pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** What the parts of the program need of the log. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Opens the log. Errors are logged with type, message and stack under `err`. */
export function openLog(level: LogLevel): Logger {
  return pino({ level, base: null, timestamp: timeOfNow }, standardError());
}

let lastMs = NaN;
let lastTime = '';

/** The time of a line; those of one millisecond share its text. */
function timeOfNow(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTime;
}

/** Characters that wait to be written at most; what comes beyond is lost. */
const mostWaiting = 1024 * 1024;

/**
 * Lines are written together at the end of the event loop's turn: a storm of runs ends hundreds at once, and a
 * write for each line would hold up the calls. They are not synced: a log that is a file would hold them up, too.
 */
function standardError(): DestinationStream {
  const out = destination({ dest: 2, sync: true, maxLength: mostWaiting });
  // A full disk, say: what could not be written is tried again with the next lines, as far as there is room for it.
  out.on('error', () => {});
  let lines = '';
  const flush = (): void => {
    const gathered = lines;
    lines = '';
    if (gathered !== '') out.write(gathered);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
