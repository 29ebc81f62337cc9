/**
 * Sends spans to a collector in the background. What is kept is bounded, and nobody waits for it: what a collector does not take in time
 * is dropped and counted.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Meter } from '../../domain/meter.ts';
import { errorOfResult } from '../../domain/runs/outcome.ts';
import {
  exportRequest,
  isSampled,
  type CallSpan,
  type Spans,
} from '../../domain/runs/call-span.ts';
import type { SpanSettings } from '../../domain/runs/call-span-settings.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Log } from '../../base/log.ts';
import { startLoop } from '../../engine/loop.ts';

export interface SpanParts {
  settings: SpanSettings;
  version: string;
  /** It may lead anywhere: the operator names the collector. */
  egress: Egress;
  clock: Clock;
  log: Log;
  meter: Pick<Meter, 'spansLeft'>;
}

/** As the SDKs of OpenTelemetry have it. */
const mostKept = 2_048;
const mostInBatch = 512;
const everyMs = 5_000;
const timeoutMs = 10_000;
/** A batch that a collector asks for again is sent this often at most. */
const mostTries = 5;
const longestPauseMs = 60_000;
const lastTimeoutMs = 2_000;
/** Statuses that ask for the same again (OTLP/HTTP, "Retryable Response Codes"). */
const passing = new Set([429, 502, 503, 504]);

/** Starts to send. Disposing of it sends what is kept, or gives up after 2 s; 4 s if a request hangs just then. */
export function startSpans(parts: SpanParts): Spans & AsyncDisposable {
  const { settings, version, egress, clock, log, meter } = parts;
  const kept: CallSpan[] = [];
  let tries = 0;
  let restUntil = clock.monotonicMs() + everyMs;
  let isFailing = false;
  const stopper = new AbortController();

  const send = async (batch: readonly CallSpan[], patienceMs: number) =>
    await egress.call(
      {
        url: settings.url,
        method: 'POST',
        headers: { ...settings.headers, 'content-type': 'application/json' },
        body: exportRequest(batch, settings.resource, version),
        timeoutMs: patienceMs,
      },
      stopper.signal,
    );

  /** Sends a batch. Resolves with the pause before the same batch is sent again; null if it is done with. */
  async function sendBatch(
    batch: readonly CallSpan[],
    patienceMs = timeoutMs,
  ): Promise<number | null> {
    const result = await send(batch, patienceMs);
    const error = 'trouble' in result ? result.trouble : errorOfResult(result);
    if (error === null && result.kind === 'response') {
      const rejected = Math.min(rejectedIn(result.response.body), batch.length);
      meter.spansLeft('sent', batch.length - rejected);
      meter.spansLeft('dropped', rejected);
      if (isFailing) log.info('the collector takes spans again');
      isFailing = false;
      return null;
    }
    if (!isFailing) log.warn({ error }, 'the collector does not take spans');
    isFailing = true;
    tries += 1;
    const mayPass = result.kind !== 'response' || passing.has(result.response.httpStatus);
    if (mayPass && tries < mostTries) {
      const asked = result.kind === 'response' ? Number(result.response.retryAfter) * 1_000 : 0;
      return Math.min(Math.max(asked || 0, everyMs * 2 ** (tries - 1)), longestPauseMs);
    }
    meter.spansLeft('dropped', batch.length);
    return null;
  }

  async function step(): Promise<number> {
    const now = clock.monotonicMs();
    if (now < restUntil && (kept.length < mostInBatch || tries > 0)) return restUntil - now;
    const batch = kept.slice(0, mostInBatch);
    const pauseMs = batch.length === 0 ? null : await sendBatch(batch).catch(whenStopped);
    restUntil = clock.monotonicMs() + (pauseMs ?? everyMs);
    if (pauseMs !== null) return pauseMs;
    tries = 0;
    kept.splice(0, batch.length);
    if (kept.length >= mostInBatch) restUntil = 0;
    return Math.max(restUntil - clock.monotonicMs(), 0);
  }

  /** A stop waits no longer: the batch stays, for the count. */
  function whenStopped(error: unknown): number {
    if (!stopper.signal.aborted) throw error;
    return longestPauseMs;
  }

  const loop = startLoop('spans', step, { log, clock });
  return {
    isSampled: (traceId) => isSampled(traceId, settings.ratio),
    note(span) {
      if (kept.length >= mostKept) meter.spansLeft('dropped', 1);
      else if (kept.push(span) === mostInBatch) loop.wake();
    },
    async [Symbol.asyncDispose]() {
      const timer = clock.after(lastTimeoutMs, () => stopper.abort());
      await loop[Symbol.asyncDispose]();
      timer[Symbol.dispose]();
      if (stopper.signal.aborted) meter.spansLeft('dropped', kept.length);
      if (kept.length === 0 || stopper.signal.aborted) return;
      tries = mostTries; // the last one
      await sendBatch(kept, lastTimeoutMs);
    },
  };
}

/** Spans that the collector took the request of, but not them: `partialSuccess` of its answer. */
function rejectedIn(body: string): number {
  try {
    const { partialSuccess } = JSON.parse(body) as { partialSuccess?: { rejectedSpans?: unknown } };
    return Math.max(Number(partialSuccess?.rejectedSpans ?? 0) || 0, 0);
  } catch {
    return 0; // protobuf, or nothing
  }
}
