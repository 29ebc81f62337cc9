/** The result of calling a target: of one attempt, as egress reports it, and of a run. A failure is a value, never an exception. */

import { errorOf, type RunReason, type Why } from './reason.ts';

/** Why there is no complete answer. */
export const failureReasons = [
  'timeout',
  'dns',
  'refused',
  'reset',
  'tls',
  'no_tls',
  'protocol',
  'unopened',
  'unsigned',
  'blocked_address',
  'blocked_metadata',
] as const satisfies RunReason[];
export type FailureReason = (typeof failureReasons)[number];

/** A failed attempt: `detail` is a sentence for people, without the reason as a prefix. */
export interface Failure {
  reason: FailureReason;
  detail: string;
  /** For `dns` only: a failure that may pass soon (server failure, no answer). */
  temporary?: boolean;
  /** For `timeout` only: nothing of the request was written in time. */
  unsent?: boolean;
  /** For `protocol` only: how an answer begins that is no HTTP, as Latin-1. */
  seen?: string;
}

/** Most characters of a `Location` that are read. */
export const maxLocationLength = 2048;

/** An answer whose status line and headers arrived. */
export interface Response {
  httpStatus: number;
  /** The beginning of the `Location` header, if there was one. */
  location: string | null;
  /** The `Retry-After` header, if there was one. */
  retryAfter: string | null;
  /** Preview: at most 4096 bytes of UTF-8, invalid bytes replaced, cut at a character boundary. */
  body: string;
  /** Whether the target sent more than the preview holds. */
  truncated: boolean;
  /** Set if the body ended early, or not in time, before the preview was full. */
  broken: Failure | null;
  /** How long after its last byte it was handed out, since its body had to be decoded, in milliseconds. */
  decodingMs?: number | undefined;
}

/** A complete answer or a failure. */
export type TargetResult =
  | { kind: 'response'; response: Response }
  | { kind: 'failure'; failure: Failure };

/**
 * The result of one attempt. `local`: this machine could not start it, for a reason that may pass; nothing was sent. `interrupted`:
 * this machine could not go on, and nobody knows what came of it.
 */
export type AttemptResult =
  | TargetResult
  | { kind: 'local'; trouble: string }
  | { kind: 'interrupted'; trouble: string };

/** How long after its end the result of an attempt was handed out. */
export function decodingMsOf(result: AttemptResult): number {
  return (result.kind === 'response' && result.response.decodingMs) || 0;
}

/** What a run keeps of its last attempt. */
export interface Outcome extends Omit<Why, 'missed'> {
  status: 'success' | 'failed';
  responseBody: string | null;
  truncated: boolean;
}

/** The outcome of an attempt: any complete 2xx is a success, everything else a failure (docs/behavior.md#result-1). */
export function outcomeOf(result: TargetResult): Outcome {
  if (result.kind === 'failure') {
    return {
      status: 'failed',
      httpStatus: null,
      responseBody: null,
      truncated: false,
      ...whyFailed(result.failure),
    };
  }
  const { response } = result;
  const why = whyNoSuccess(response);
  return {
    status: why.reason === null ? 'success' : 'failed',
    httpStatus: response.httpStatus,
    responseBody: response.body,
    truncated: response.truncated,
    ...why,
  };
}

/** Why an attempt was no success, as the `error` of a run; null if it was one. */
export function errorOfResult(result: TargetResult): string | null {
  return errorOf(outcomeOf(result));
}

type Reason = Pick<Outcome, 'reason' | 'detail'>;

function whyNoSuccess({ httpStatus, location, broken }: Response): Reason {
  if (httpStatus >= 200 && httpStatus < 300) {
    return broken === null ? { reason: null, detail: null } : whyFailed(broken);
  }
  if (httpStatus >= 300 && httpStatus < 400 && location !== null) {
    const detail = `${httpStatus} to ${shownLocation(location)}, redirects are not followed`;
    return { reason: 'redirect', detail };
  }
  return { reason: 'http', detail: null };
}

/**
 * The target of a redirect, safe to keep: printable ASCII of at most 200 characters, without user info, path, query and
 * fragment. These may hold secrets, and most redirects repeat the path of the request. For a scheme without hosts
 * (`data:`) it is the scheme alone.
 */
function shownLocation(location: string): string {
  const here = 'relative.invalid';
  const url = URL.parse(location, `http://${here}/`);
  if (url === null) return 'what is no URL';
  if (url.host === '') return url.protocol.slice(0, 200);
  if (url.host === here) return 'another path of the same host';
  const scheme = /^[a-z][a-z0-9+.-]*:/i.test(location) ? url.protocol : '';
  return `${scheme}//${url.host}${url.pathname === '/' ? '/' : '/...'}`.slice(0, 200);
}

/** Why an attempt failed, as a run keeps it. */
function whyFailed({ reason, detail, seen = '' }: Failure): Reason {
  const begin = seen === '' ? '' : `, it begins with ${shownBytes(seen)}`;
  return { reason, detail: `${detail}${begin}` };
}

/** Bytes in quotes: printable ASCII as it is, all others as `\x00`. */
function shownBytes(text: string): string {
  return `"${text.replaceAll(/[^ -~]/g, hexEscape)}"`;
}

function hexEscape(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
