/**
 * One request and its answer on one connection. The request is written at most once. Redirects are not followed, and reading
 * stops when the preview is full.
 */
import { maxPreviewBytes, startPreview, type Preview } from '../domain/runs/preview.ts';
import type { AttemptResult, Failure, Response } from '../domain/runs/outcome.ts';
import type { Connection, Reader } from './connection.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { answerFailure, brokenBody, secondsText } from './failure.ts';
import { AnswerReader, type Listener } from './http/answer.ts';
import { startKeptBody, type KeptBody } from './http/decode.ts';
import type { Head } from './http/head.ts';

/** A longer promise of a server is cut to this. */
const longestPromiseSeconds = 60;

/**
 * Sends the request and reads the answer. Returns 'unsent' if the connection had closed before the
 * first byte: another connection may be used then. Throws DeadlineOver if no answer came in time.
 */
export function exchange(
  connection: Connection,
  { method, bytes }: { method: string; bytes: string },
  deadline: Deadline,
): Promise<AttemptResult | 'unsent'> {
  // The deadline may pass between taking a connection and writing: then nothing is written.
  deadline.check();
  if (!connection.isOpen) {
    connection.socket.destroy();
    return Promise.resolve('unsent');
  }
  if (!deadline.mayBegin()) return Promise.resolve(tooLate);
  return new Exchange(connection, deadline, method).send(bytes);
}

const tooLate: AttemptResult = {
  kind: 'local',
  trouble: 'the request could not be written before the lease of this node may have run out',
};

class Exchange implements Reader, Listener {
  readonly #settled = Promise.withResolvers<AttemptResult>();
  readonly #connection: Connection;
  readonly #deadline: Deadline;
  readonly #answer: AnswerReader;
  #isSettled = false;
  #head: Pick<Response, 'httpStatus' | 'location' | 'retryAfter'> | null = null;
  #preview: Preview | KeptBody | null = null;
  /** The length of a body whose preview is its beginning; null if it is not known. */
  #announcedBytes: number | null = null;

  constructor(connection: Connection, deadline: Deadline, method: string) {
    this.#connection = connection;
    this.#deadline = deadline;
    this.#answer = new AnswerReader(method, this);
  }

  send(bytes: string): Promise<AttemptResult> {
    const { socket } = this.#connection;
    this.#deadline.phase = 'waiting for the answer';
    this.#connection.mayPersist = false;
    this.#connection.begin(this);
    socket.write(bytes, 'latin1');
    this.#deadline.onOver(() => this.#onDeadline());
    return this.#settled.promise;
  }

  onBytes(bytes: Buffer): void {
    try {
      this.#answer.read(bytes);
    } catch (error) {
      this.onError(error);
      this.#connection.socket.destroy();
      return;
    }
    if (this.#answer.isComplete) this.#finish();
  }

  onEnd(): void {
    if (this.#answer.end()) this.#finish();
    else this.onError(null);
  }

  /** `error` is null if the connection ended in good order, but too early. */
  onError(error: unknown): void {
    if (this.#head !== null) this.#breakOff(brokenBody(error));
    else this.#settle({ kind: 'failure', failure: answerFailure(error) });
  }

  onHead(head: Head): void {
    const { status, location, retryAfter, framing } = head;
    this.#deadline.phase = 'reading the body';
    this.#head = { httpStatus: status, location, retryAfter };
    const { keepAliveSeconds: seconds } = head;
    this.#connection.promisedMs =
      seconds === null ? null : Math.min(seconds, longestPromiseSeconds) * 1_000;
    const kept = startKeptBody(head.contentCoding, head.charset);
    this.#preview = kept ?? startPreview();
    if (kept === null && framing.kind === 'length') this.#announcedBytes = framing.bytes;
  }

  readonly onData = (piece: Buffer): boolean => {
    const preview = this.#preview;
    if (preview === null || this.#isSettled) return false;
    const overflows = preview.push(piece);
    const announced = this.#announcedBytes ?? 0;
    const moreToCome = announced > maxPreviewBytes && preview.isFull();
    if (!overflows && !moreToCome) return true;
    this.#connection.socket.destroy();
    this.#respond(null, true);
    return false;
  };

  #finish(): void {
    const connection = this.#connection;
    connection.mayPersist = this.#answer.mayPersist;
    connection.end();
    this.#respond(null, false);
  }

  #onDeadline(): void {
    this.#connection.socket.destroy();
    const { over, timeoutMs } = this.#deadline;
    if (over === 'expired' && this.#head !== null) {
      const detail = `the response body was not finished within ${secondsText(timeoutMs)}`;
      this.#breakOff({ reason: 'timeout', detail });
    } else if (over === 'suspended' && this.#preview?.isFull() === true) {
      this.#respond(null, true);
    } else if (!this.#isSettled) {
      this.#isSettled = true;
      this.#settled.reject(new DeadlineOver());
    }
  }

  #settle(result: AttemptResult): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#deadline.onOver(null);
    this.#settled.resolve(result);
  }

  /** The body ended early. That is no failure once the preview is full. */
  #breakOff(failure: Failure): void {
    if (this.#preview?.isFull() === true) this.#respond(null, true);
    else this.#respond(failure, false);
  }

  #respond(broken: Failure | null, cut: boolean): void {
    const head = this.#head;
    const preview = this.#preview;
    if (head === null || preview === null || this.#isSettled) return;
    const { timers } = this.#deadline;
    const shown = preview.finish(cut, this.#connection.origin.host, timers);
    if (!(shown instanceof Promise)) {
      const { text: body, truncated } = shown;
      return this.#settle({ kind: 'response', response: { ...head, body, truncated, broken } });
    }
    // Nothing more is asked of the target, so its time is over.
    this.#isSettled = true;
    this.#deadline.onOver(null);
    const endedAt = timers.monotonicMs();
    const decoded = shown.then(({ text: body, truncated, isFull }) => {
      const whole = isFull ? { truncated: truncated || broken !== null, broken: null } : null;
      const decodingMs = timers.monotonicMs() - endedAt;
      const response = { ...head, body, truncated, broken, ...whole, decodingMs };
      return { kind: 'response' as const, response };
    });
    this.#settled.resolve(decoded);
  }
}
