/** The log: one JSON object a line, on stderr. */

import { destination, pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** What the parts of the program need of the log. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Opens the log. Errors are logged with type, message and stack under `err`. */
export function openLog(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    standardError(),
  );
}

/** Lines are written together at the end of the event loop's turn, or when they are this many bytes. */
const gatheredBytes = 8_192;

/** A storm of runs ends hundreds at once, and a write for each line would hold up the calls. */
function standardError(): DestinationStream {
  const gathered = destination({ dest: 2, sync: true, minLength: gatheredBytes });
  let isWaiting = false;
  const flush = (): void => {
    isWaiting = false;
    gathered.flushSync();
  };
  process.once('exit', flush);
  return {
    write(line) {
      gathered.write(line);
      if (isWaiting) return;
      isWaiting = true;
      setImmediate(flush);
    },
  };
}
