/**
 * The one error class of jobd and its closed table of codes. Every error meant for people is one of
 * these; any other thrown error is a bug or broken infrastructure.
 */

/** The HTTP status and the exit code of each code. */
export const errorCodes = {
  invalid_input: { httpStatus: 400, exitCode: 2, means: 'the input breaks a rule' },
  unauthenticated: { httpStatus: 401, exitCode: 4, means: 'no key, or not a valid one' },
  payment_required: { httpStatus: 402, exitCode: 6, means: 'the trial has ended' },
  forbidden: { httpStatus: 403, exitCode: 4, means: 'the key or the plan does not permit this' },
  not_found: { httpStatus: 404, exitCode: 3, means: 'nothing has this id or name here' },
  conflict: { httpStatus: 409, exitCode: 5, means: 'a run is executing, or the state forbids it' },
  too_large: { httpStatus: 413, exitCode: 6, means: 'the request is larger than allowed' },
  rate_limited: { httpStatus: 429, exitCode: 6, means: 'too many requests for now' },
  internal: { httpStatus: 500, exitCode: 1, means: 'a bug, or something broken on the machine' },
  unavailable: { httpStatus: 503, exitCode: 1, means: 'the service cannot do this now' },
  usage: { httpStatus: 400, exitCode: 2, means: 'the command line was not understood' },
  unreachable: { httpStatus: 503, exitCode: 7, means: 'the server could not be reached' },
} as const;

/** A code of the closed table above. */
export type ErrorCode = keyof typeof errorCodes;

/** An error that may be shown as it is: what is wrong, where, the value, and the remedy. */
export class JobdError extends Error {
  override readonly name = 'JobdError';
  readonly code: ErrorCode;
  /** Seconds to wait before trying again (HTTP `Retry-After`). */
  readonly retryAfterSeconds: number | undefined;
  /** Seconds after which it surely works again, if that is known better. */
  readonly waitSeconds: number | undefined;
  /** More that helps, a line each, such as what to choose from: only the command line shows them. */
  readonly notes: readonly string[];
  /** Why, without what cannot be done; undefined if nobody asks for that alone. */
  readonly why: string | undefined;
  /** Whether the database cannot be used now: all who ask it fail for the same reason. */
  readonly isOfStore: boolean;
  /** Whether a commit was asked for and not confirmed: what was to be written may be kept or not. */
  readonly isInDoubt: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options?: {
      cause?: unknown;
      retryAfterSeconds?: number | undefined;
      waitSeconds?: number | undefined;
      notes?: readonly string[];
      why?: string;
      isOfStore?: boolean;
      isInDoubt?: boolean;
    },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.waitSeconds = options?.waitSeconds;
    this.notes = options?.notes ?? [];
    this.why = options?.why;
    this.isOfStore = options?.isOfStore ?? false;
    this.isInDoubt = options?.isInDoubt ?? false;
  }

  get httpStatus(): number {
    return errorCodes[this.code].httpStatus;
  }

  get exitCode(): number {
    return errorCodes[this.code].exitCode;
  }
}

/** The input breaks a rule (400, exit code 2). */
export function invalidInput(message: string): JobdError {
  return new JobdError('invalid_input', message);
}

/** A limit, and when it allows more, as every refusal says it: `a key may ask 120 times a minute: again in 9 s`. */
export function limitWords(rule: string, waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const wait = seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return `${rule}: again in ${wait}`;
}

/** More was asked than a limit allows (429). `pauseMs` is promised in `Retry-After`, `waitMs` is what is left of it. */
export function overLimit(rule: string, pauseMs: number, waitMs = pauseMs): JobdError {
  const retryAfterSeconds = Math.ceil(pauseMs / 1_000);
  return new JobdError('rate_limited', limitWords(rule, waitMs), { retryAfterSeconds });
}

/** What may be done once in a while was done `agoMs` ago (429). */
export function tooSoon(rule: string, pauseMs: number, agoMs = 0): JobdError {
  const { message, retryAfterSeconds } = overLimit(rule, pauseMs, pauseMs - agoMs);
  const waitSeconds = Math.max(1, Math.ceil((pauseMs - agoMs) / 1_000));
  return new JobdError('rate_limited', message, { retryAfterSeconds, waitSeconds });
}

/** The code of an error of the system, such as ENOENT, for a message; `unknown` if it has none. */
export function systemCode(error: unknown): string {
  const isCoded = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return isCoded ? String(error.code) : 'unknown';
}

/** The machine fails (503, exit code 1): `what` cannot be done, followed by the message of the cause. */
export function unavailable(what: string, cause: unknown): JobdError {
  return new JobdError('unavailable', `${what}: ${messageOf(cause)}`, { cause });
}

/** The database cannot be used now (503, exit code 1), and why. */
export function storeUnusable(why: string, cause?: unknown): JobdError {
  const options = { cause, isOfStore: true, why };
  return new JobdError('unavailable', `the database cannot be used now: ${why}`, options);
}

/** A commit that failed as `unconfirmed` says may have been carried out all the same (docs/behavior.md#error-503). */
export function storeInDoubt(unconfirmed: JobdError): JobdError {
  const why = unconfirmed.why ?? unconfirmed.message;
  return new JobdError(
    'unavailable',
    `it is not known whether this was done, the database did not confirm it: ${why}. Look before you repeat it; with the same Idempotency-Key it is safe to repeat`,
    { cause: unconfirmed, isOfStore: true, isInDoubt: true },
  );
}

/** A failure to listen on an address; names the option that chooses another, where that helps. */
export function listenError(
  error: unknown,
  { host, port }: { host: string; port: number },
  options: { host: string; port: string },
): unknown {
  const sentences: Record<string, string> = {
    EADDRINUSE: `${host.includes(':') ? `[${host}]` : host}:${port} is taken by another program: choose another with ${options.port}, or stop it`,
    ENOTFOUND: `nobody knows the name ${host}: choose another with ${options.host}, or an address such as 127.0.0.1`,
    EAI_AGAIN: `the name ${host} cannot be looked up now: choose an address with ${options.host}, such as 127.0.0.1`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose another with ${options.host}`,
  };
  const sentence = sentences[systemCode(error)];
  return sentence === undefined ? error : new JobdError('unavailable', sentence, { cause: error });
}

/** What `read` returns; undefined if it throws, whatever the reason. */
export function ifPossible<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What `read` returns; undefined if it throws an error for people. */
export function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof JobdError) return undefined;
    throw error;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The end of a message that repeats a value: in quotes, cut after 60 characters. */
export function got(text: string): string {
  return `got ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`;
}
