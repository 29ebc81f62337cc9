/**
 * The header that puts what a target does into the trace of a run (W3C Trace Context, section 3.2). The trace id is the id of the
 * run without its dashes. So each is found by the other, for as long as the run is kept, and nothing more is stored. Its
 * last 7 bytes are random, which level 2 of the specification asks for.
 */

const name = 'traceparent';

/** The id of the trace of a run. */
export function traceIdOf(runId: string): string {
  return runId.replaceAll('-', '');
}

/** The header for one attempt of a run. Most targets record a trace only if their caller did, which the flag `sampled` says. */
export function traceparent(
  { traceId, spanId }: { traceId: string; spanId: string },
  isSampled = true,
): Readonly<Record<string, string>> {
  return { [name]: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}` };
}

/** Whether these headers name a trace themselves. */
export function hasTraceparent(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === name);
}
