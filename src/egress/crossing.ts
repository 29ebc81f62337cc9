/**
 * How calls and answers cross threads: as arrays, since objects would take the names of their values along each time, and
 * reading those costs more than all the rest.
 */

import type { Caller } from '../domain/proof/caller.ts';
import type { AttemptResult, Failure } from '../domain/runs/outcome.ts';
import type { Call } from './egress.ts';

/** A call with the numbers of its answer and of its signal. */
export type SentCall = readonly [
  number: number,
  signal: number | null,
  madeAt: number,
  url: string,
  method: string,
  headers: Call['headers'],
  body: string | null,
  timeoutMs: number,
  beginWithinMs: number,
  caller: Caller | undefined,
];

/** The answer to a call: the values of a response, or another result. */
export type SentAnswer =
  | readonly [number: number, result: Exclude<AttemptResult, { kind: 'response' }>]
  | readonly [
      number: number,
      httpStatus: number,
      location: string | null,
      retryAfter: string | null,
      body: string,
      truncated: boolean,
      broken: Failure | null,
      decodingMs: number | undefined,
    ];

/** Milliseconds by the monotonic clock that all threads have in common: that of each begins with it. */
function processMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A call that is made now. */
export function packCall(
  { url, method, headers, body, timeoutMs, beginWithinMs = Infinity, caller }: Call,
  { number, signal }: { number: number; signal: number | null },
): SentCall {
  const when = [timeoutMs, beginWithinMs] as const;
  return [number, signal, processMs(), url, method, headers, body, ...when, caller];
}

/** The call, whose time to begin has become shorter on the way. */
export function unpackCall(sent: SentCall): Call {
  // By number: taking an array apart by a pattern walks through an iterator.
  const beginWithinMs = sent[8] - (processMs() - sent[2]);
  const call = { url: sent[3], method: sent[4], headers: sent[5], body: sent[6] };
  const caller = sent[9];
  return { ...call, timeoutMs: sent[7], beginWithinMs, ...(caller && { caller }) };
}

/** The answer to a call with this number. */
export function packAnswer(number: number, result: AttemptResult): SentAnswer {
  if (result.kind !== 'response') return [number, result];
  const { httpStatus, location, retryAfter, body, truncated, broken, decodingMs } = result.response;
  return [number, httpStatus, location, retryAfter, body, truncated, broken, decodingMs];
}

/** The result in an answer. */
export function unpackAnswer(answer: SentAnswer): AttemptResult {
  if (answer.length === 2) return answer[1];
  return {
    kind: 'response',
    response: {
      httpStatus: answer[1],
      location: answer[2],
      retryAfter: answer[3],
      body: answer[4],
      truncated: answer[5],
      broken: answer[6],
      decodingMs: answer[7],
    },
  };
}
