/**
 * Spans: what each attempt of a run looks like in a trace (docs/monitoring.md#spans). The names of attributes are those of OpenTelemetry's
 * semantic conventions for HTTP clients, the document is OTLP/JSON. No header, no body and no value of a query is in it.
 */

import { isoTime } from '../clock.ts';
import type { TargetResult } from './outcome.ts';
import { errorWordOf } from './reason.ts';

/** One attempt, as it is exported. */
export interface CallSpan {
  traceId: string;
  spanId: string;
  runId: string;
  jobId: string;
  job: string;
  /** The due time that the run stands for, in epoch milliseconds. */
  dueAt: number;
  /** Counts from 1. */
  attempt: number;
  method: string;
  url: string;
  /** Epoch milliseconds. */
  startedAt: number;
  durationMs: number;
  /** Null if jobd stopped before the answer came. */
  result: TargetResult | null;
}

/** Texts that describe where spans come from, such as `service.name`. */
export type ResourceAttributes = Readonly<Record<string, string>>;

type Value = { stringValue: string } | { intValue: string };
interface Attribute {
  key: string;
  value: Value;
}

/** SPAN_KIND_CLIENT and STATUS_CODE_ERROR of opentelemetry/proto/trace/v1/trace.proto: numbers in JSON. */
const clientKind = 3;
const errorStatus = 2;

/** The body of a request that exports spans: an ExportTraceServiceRequest. */
export function exportRequest(
  spans: readonly CallSpan[],
  resource: ResourceAttributes,
  version: string,
): string {
  const scope = { name: 'jobd', version };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf(span: CallSpan): object {
  const { traceId, spanId, runId, jobId, job, dueAt, attempt, method, result } = span;
  const url = URL.parse(span.url);
  const error = errorType(result);
  const status = result?.kind === 'response' ? result.response.httpStatus : undefined;
  return {
    traceId,
    spanId,
    name: method,
    kind: clientKind,
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.startedAt + span.durationMs),
    attributes: attributesOf({
      'http.request.method': method,
      'server.address': url?.hostname.replace(/^\[|\]$/g, ''),
      'server.port': url === null ? undefined : portOf(url),
      'url.full': url === null ? undefined : withoutSecrets(url),
      'http.response.status_code': status,
      'http.request.resend_count': attempt > 1 ? attempt - 1 : undefined,
      'error.type': error,
      'jobd.run.id': runId,
      'jobd.run.scheduled_for': isoTime(dueAt),
      'jobd.job.id': jobId,
      'jobd.job.name': job,
    }),
    status: error === undefined ? {} : { code: errorStatus },
  };
}

function attributesOf(values: Readonly<Record<string, string | number | undefined>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    return [{ key, value: { intValue: String(value) } }];
  });
}

/** A word of few: a status that is no success, which redirects are not either, or why there is no complete answer. */
function errorType(result: TargetResult | null): string | undefined {
  if (result === null) return 'interrupted';
  if (result.kind === 'failure') return errorWordOf(result.failure.reason);
  const { httpStatus, broken } = result.response;
  if (broken !== null) return errorWordOf(broken.reason);
  return httpStatus < 200 || httpStatus > 299 ? String(httpStatus) : undefined;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** A URL without user, fragment and values of its query. A word without a value may be a token, so it goes too. */
function withoutSecrets({ protocol, host, pathname, searchParams }: URL): string {
  const query = Array.from(searchParams, ([name, value]) =>
    value === '' ? 'REDACTED' : `${encodeURIComponent(name)}=REDACTED`,
  );
  return `${protocol}//${host}${pathname}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

/** Whether the trace is one of this share. Its last 56 bits are random (W3C Trace Context level 2, section 3.2.2.3). */
export function isSampled(traceId: string, ratio: number): boolean {
  const random = Number.parseInt(traceId.slice(-13), 16) / 16 ** 13;
  return random >= 1 - ratio;
}

/** Takes the spans of calls. */
export interface Spans {
  /** Whether the calls of this trace are exported. */
  readonly isSampled: (traceId: string) => boolean;
  /** Keeps a span until it is sent. Returns at once, never throws. */
  readonly note: (span: CallSpan) => void;
}
