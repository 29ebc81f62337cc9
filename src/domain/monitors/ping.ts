/** A ping: what a task says about itself, by asking the URL of its monitor. */

export const pingKinds = ['start', 'success', 'fail'] as const;
export type PingKind = (typeof pingKinds)[number];

/** The methods that a ping may come by. */
export const pingMethods = ['GET', 'POST', 'HEAD'] as const;
export type PingMethod = (typeof pingMethods)[number];

/** What the end of a ping's URL says. */
export interface PingSignal {
  kind: PingKind;
  /** Where the task told it: 0 to 255. */
  exitCode: number | null;
}

/** A ping that came in. Times are epoch milliseconds. */
export interface Ping extends PingSignal {
  id: string;
  monitorId: string;
  /** Pings of a monitor are numbered from 1 in the order in which they came. */
  number: number;
  receivedAt: number;
  /** From the start that was told before to this ping; null without one, and for a start. */
  durationMs: number | null;
  /** Preview of what was sent with it: at most 4096 bytes of UTF-8. Null if nothing was. */
  body: string | null;
  truncated: boolean;
  method: PingMethod;
}

/** How many pings of a monitor are kept, the newest. */
export const pingsKept = 1_000;

/**
 * How fast pings of a monitor are kept one by one: this many at once, and one more every `everyMs`. Of faster ones
 * only the last of each `everyMs` is kept, and the last failure before it; all of them count for the monitor's state.
 */
export const pingPace = { burst: 300, everyMs: 200 } as const;

/**
 * Judges a ping that comes at `now`; `restedAt` is when the monitor may keep a whole burst again (undefined: it may
 * now). Returns `restedAt` after keeping this ping, or null if it comes too fast. Any one clock, in milliseconds.
 */
export function keptAtPace(restedAt: number | undefined, now: number): number | null {
  const after = Math.max(restedAt ?? now, now) + pingPace.everyMs;
  return after - now > pingPace.burst * pingPace.everyMs ? null : after;
}

/** Largest exit code of a process. */
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
