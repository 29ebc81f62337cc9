/**
 * One request and its answer on one connection, through undici's `dispatch`. The request is sent at
 * most once. Redirects are not followed, nothing is decompressed, and reading stops with the preview.
 */
import type { Dispatcher } from 'undici';
import { maxPreviewBytes, startPreview } from '../domain/runs/preview.ts';
import { maxLocationLength } from '../domain/runs/outcome.ts';
import type { AttemptResult, Failure, Response } from '../domain/runs/outcome.ts';
import type { Connection } from './connection.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { answerFailure, brokenBody, secondsText } from './failure.ts';

/** A request as it goes on the wire; `headers` is name, value, name, value. */
export interface WireRequest {
  path: string;
  method: string;
  headers: string[];
  body: string | null;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * Sends the request and reads the answer. Returns 'unsent' if the connection had closed before the
 * first byte: another connection may be used then. Throws DeadlineOver if no answer came in time.
 */
export function exchange(
  connection: Connection,
  request: WireRequest,
  deadline: Deadline,
): Promise<AttemptResult | 'unsent'> {
  const { promise, resolve, reject } = Promise.withResolvers<AttemptResult | 'unsent'>();
  const preview = startPreview();
  let sent = false;
  let settled = false;
  let head: Pick<Response, 'httpStatus' | 'location' | 'retryAfter'> | null = null;
  /** From Content-Length; null if the body's end is not announced. */
  let announcedBytes: number | null = null;

  function settle(): boolean {
    if (settled) return false;
    settled = true;
    deadline.onOver(null);
    return true;
  }
  function fail(failure: Failure): void {
    if (settle()) resolve({ kind: 'failure', failure });
  }
  function answer(broken: Failure | null, cut: boolean): void {
    if (head === null || !settle()) return;
    const { text, truncated } = preview.finish(cut);
    const response = { ...head, body: text, truncated, broken };
    resolve({ kind: 'response', response });
  }
  /** The body ends here, before the target said so; a full preview needs no more of it. */
  function breakOff(failure: Failure): void {
    if (preview.isFull()) answer(null, true);
    else answer(failure, false);
  }
  function drop(): void {
    connection.socket.destroy();
  }

  deadline.phase = 'waiting for the answer';
  deadline.onOver(() => {
    drop();
    if (head !== null && deadline.over === 'expired') {
      const within = secondsText(deadline.timeoutMs);
      breakOff({
        reason: 'timeout',
        detail: `the response body was not finished within ${within}`,
      });
    } else if (settle()) reject(new DeadlineOver());
  });

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      // The deadline may pass between handing over and writing: then nothing is written.
      if (settled) controller.abort(new DeadlineOver());
      else {
        sent = true;
        connection.incoming.expectAnswer();
      }
    },
    onResponseStart(controller, statusCode, headers) {
      // Kept as long as the body lasts, and up to a megabyte if a target means harm.
      controller.rawHeaders = null;
      // Interim responses do not come this far; what is below 100 is none, and undici will say so.
      if (settled || statusCode < 200) return;
      deadline.phase = 'reading the body';
      head = {
        httpStatus: statusCode,
        location: firstOf(headers, 'location'),
        retryAfter: firstOf(headers, 'retry-after'),
      };
      connection.keepAlivePromised = /timeout=\d/i.test(firstOf(headers, 'keep-alive') ?? '');
      const length = firstOf(headers, 'content-length');
      announcedBytes = length === null ? null : Number(length);
    },
    onResponseData(_controller, chunk) {
      if (settled) return;
      connection.incoming.bodySeen();
      const overflows = preview.push(chunk);
      const moreToCome =
        preview.isFull() && announcedBytes !== null && announcedBytes > maxPreviewBytes;
      if (!overflows && !moreToCome) return;
      drop();
      answer(null, moreToCome);
    },
    onResponseEnd() {
      connection.incoming.answerComplete();
      // undici takes a reset for the end of a body that has no other end.
      const { errored } = connection.socket;
      if (errored === null) answer(null, false);
      else breakOff(brokenBody(errored));
    },
    onResponseError(_controller, error) {
      if (head !== null) breakOff(brokenBody(error));
      else if (sent) fail(answerFailure(error));
      else if (connection.socket.destroyed) {
        deadline.phase = 'waiting for a free connection';
        if (settle()) resolve('unsent');
      } else fail({ reason: 'protocol', detail: `the request cannot be sent: ${error.message}` });
    },
  };

  connection.client.dispatch({ ...request, origin: connection.origin.key }, handler);
  return promise;
}

function firstOf(headers: Headers, name: string): string | null {
  const value = headers[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? null : first.slice(0, maxLocationLength);
}
