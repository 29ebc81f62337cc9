/** The log: one JSON object per line, on stderr. */

import { destination, pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** The part of the log that the program uses. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Opens the log. Errors are logged with type, message and stack under `err`. */
export function openLog(level: LogLevel): Logger {
  return pino({ level, base: null, timestamp: timeOfNow }, standardError());
}

let lastMs = NaN;
let lastTime = '';

/** The time of a line. The lines of one millisecond share its text. */
function timeOfNow(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTime;
}

/** The most characters that wait to be written; more are lost. */
const mostWaiting = 1024 * 1024;

/**
 * The lines of one turn of the event loop are written together at its end: a storm ends hundreds of runs at once, and a
 * write for each line would delay the calls. Lines are not synced, as this would delay them too.
 */
function standardError(): DestinationStream {
  const out = destination({ dest: 2, sync: true, maxLength: mostWaiting });
  // A full disk, for example: the lines stay in the buffer and are tried again with the next ones.
  out.on('error', () => {});
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') out.write(text);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
