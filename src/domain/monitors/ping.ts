/** A ping: a task reports its state by requesting the URL of its monitor. */

export const pingKinds = ['start', 'success', 'fail'] as const;
export type PingKind = (typeof pingKinds)[number];

export const pingMethods = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH'] as const;
export type PingMethod = (typeof pingMethods)[number];

/** What the end of a ping's URL means. */
export interface PingSignal {
  kind: PingKind;
  /** 0 to 255; null if the task did not send it. */
  exitCode: number | null;
}

/** A ping that came in. Times are epoch milliseconds. */
export interface Ping extends PingSignal {
  id: string;
  monitorId: string;
  /** The pings of a monitor are numbered from 1, in order of arrival. */
  number: number;
  receivedAt: number;
  /** From the start ping to this one; null without a start ping, and for a start. */
  durationMs: number | null;
  /** The beginning of its body: at most 4096 bytes of UTF-8. Null if it had none. */
  body: string | null;
  truncated: boolean;
  method: PingMethod;
}

/** How many pings of a monitor are kept: the newest ones. */
export const pingsKept = 1_000;

/**
 * The rate at which every ping of a monitor is kept: `burst` at once, and one more every `everyMs`. Beyond it only the
 * last ping of each `everyMs` is kept, and the last failure before it; every ping counts for the monitor's state.
 */
export const pingPace = { burst: 300, everyMs: 200 } as const;

/**
 * Judges a ping at `now`. `restedAt` is when the monitor may keep a whole burst again; undefined means now. Returns
 * `restedAt` after keeping this ping, or null if pings are too fast. Milliseconds of any one clock.
 */
export function keptAtPace(restedAt: number | undefined, now: number): number | null {
  const after = Math.max(restedAt ?? now, now) + pingPace.everyMs;
  return after - now > pingPace.burst * pingPace.everyMs ? null : after;
}

const largestExitCode = 255;

/**
 * Reads what follows the ping id in the URL: nothing, `start`, `fail`, or an exit code, of which 0 is a
 * success and any other a failure. Null for anything else.
 */
export function pingSignal(text: string | undefined): PingSignal | null {
  if (text === undefined) return { kind: 'success', exitCode: null };
  if (text === 'start' || text === 'fail') return { kind: text, exitCode: null };
  const exitCode = /^(0|[1-9]\d{0,2})$/.test(text) ? Number(text) : NaN;
  if (!(exitCode <= largestExitCode)) return null;
  return { kind: exitCode === 0 ? 'success' : 'fail', exitCode };
}
