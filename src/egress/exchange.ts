/**
 * One request and its answer on one connection, through undici's `dispatch`. The request is sent at most once. Redirects
 * are not followed, nothing is decompressed, and reading stops when the preview is full.
 */
import type { Dispatcher } from 'undici';
import { maxPreviewBytes, startPreview } from '../domain/runs/preview.ts';
import { maxLocationLength } from '../domain/runs/outcome.ts';
import type { AttemptResult, Failure, Response } from '../domain/runs/outcome.ts';
import type { Connection } from './connection.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { answerFailure, brokenBody, secondsText } from './failure.ts';

/** A request as it is sent; `headers` alternates names and values. */
export interface WireRequest {
  path: string;
  method: string;
  headers: string[];
  body: string | null;
}

type Controller = Dispatcher.DispatchController;
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
  const handler = new Exchange(connection, deadline);
  connection.client.dispatch({ ...request, origin: connection.origin.key }, handler);
  return handler.promise;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly promise: Promise<AttemptResult | 'unsent'>;
  readonly #resolve: (result: AttemptResult | 'unsent') => void;
  readonly #reject: (error: Error) => void;
  readonly #connection: Connection;
  readonly #deadline: Deadline;
  readonly #preview = startPreview();
  #sent = false;
  #settled = false;
  #head: Pick<Response, 'httpStatus' | 'location' | 'retryAfter'> | null = null;
  /** From Content-Length; null without one. */
  #announcedBytes: number | null = null;

  constructor(connection: Connection, deadline: Deadline) {
    const { promise, resolve, reject } = Promise.withResolvers<AttemptResult | 'unsent'>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#connection = connection;
    this.#deadline = deadline;
    deadline.phase = 'waiting for the answer';
    deadline.onOver(() => this.#onDeadline());
  }

  onRequestStart(controller: Controller): void {
    // The deadline may pass between handing over and writing: then nothing is written.
    if (this.#settled) return controller.abort(new DeadlineOver());
    if (!this.#deadline.mayBegin()) {
      this.#settle({
        kind: 'local',
        trouble: 'the request could not be written before the lease of this node may have run out',
      });
      return controller.abort(new DeadlineOver());
    }
    this.#sent = true;
    this.#connection.incoming.expectAnswer();
  }

  onResponseStart(controller: Controller, statusCode: number, headers: Headers): void {
    // undici would keep them as long as the body lasts; a target can make them a megabyte.
    controller.rawHeaders = null;
    // Interim responses do not get here. undici refuses statuses below 100.
    if (this.#settled || statusCode < 200) return;
    this.#deadline.phase = 'reading the body';
    this.#head = {
      httpStatus: statusCode,
      location: firstOf(headers, 'location'),
      retryAfter: firstOf(headers, 'retry-after'),
    };
    this.#connection.keepAlivePromised = /timeout=\d/i.test(firstOf(headers, 'keep-alive') ?? '');
    const length = firstOf(headers, 'content-length');
    this.#announcedBytes = length === null ? null : Number(length);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#settled) return;
    this.#connection.incoming.bodySeen();
    const overflows = this.#preview.push(chunk);
    const moreToCome =
      this.#preview.isFull() &&
      this.#announcedBytes !== null &&
      this.#announcedBytes > maxPreviewBytes;
    if (!overflows && !moreToCome) return;
    this.#connection.socket.destroy();
    this.#answer(null, moreToCome);
  }

  onResponseEnd(): void {
    this.#connection.incoming.answerComplete();
    // undici takes a reset for the end of a body that has no other end.
    const { errored } = this.#connection.socket;
    if (errored === null) this.#answer(null, false);
    else this.#breakOff(brokenBody(errored));
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#head !== null) this.#breakOff(brokenBody(error));
    else if (this.#sent) this.#settle({ kind: 'failure', failure: answerFailure(error) });
    else if (this.#connection.socket.destroyed) {
      this.#deadline.phase = 'waiting for a free connection';
      this.#settle('unsent');
    } else {
      const detail = `the request cannot be sent: ${error.message}`;
      this.#settle({ kind: 'failure', failure: { reason: 'protocol', detail } });
    }
  }

  #onDeadline(): void {
    this.#connection.socket.destroy();
    if (this.#head !== null && this.#deadline.over === 'expired') {
      const within = secondsText(this.#deadline.timeoutMs);
      const detail = `the response body was not finished within ${within}`;
      this.#breakOff({ reason: 'timeout', detail });
    } else if (!this.#settled) {
      this.#settled = true;
      this.#reject(new DeadlineOver());
    }
  }

  #settle(result: AttemptResult | 'unsent'): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadline.onOver(null);
    this.#resolve(result);
  }

  /** The body ended early. That is no failure once the preview is full. */
  #breakOff(failure: Failure): void {
    if (this.#preview.isFull()) this.#answer(null, true);
    else this.#answer(failure, false);
  }

  #answer(broken: Failure | null, cut: boolean): void {
    if (this.#head === null || this.#settled) return;
    const { text, truncated } = this.#preview.finish(cut);
    const response = { ...this.#head, body: text, truncated, broken };
    this.#settle({ kind: 'response', response });
  }
}

function firstOf(headers: Headers, name: string): string | null {
  const value = headers[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? null : first.slice(0, maxLocationLength);
}
