/**
 * The only way out: every byte that leaves for a target goes through `call`. An attempt judges the URL, resolves its host,
 * judges every address, connects to a judged address and exchanges one request for one answer, all within one deadline.
 * Whatever a target does is returned as a value.
 */
import type { Caller } from '../domain/proof/caller.ts';
import { messageOf } from '../domain/errors.ts';
import type { AttemptResult, Failure } from '../domain/runs/outcome.ts';
import { errorWordOf } from '../domain/runs/reason.ts';
import {
  createRedactor,
  mayRepeat,
  redactResult,
  spellingsOf,
} from '../domain/secrets/redaction.ts';
import type { AllowedTarget } from '../domain/targets/target.ts';
import type { CallSigner } from '../identity/keyring.ts';
import { identify, type Identification } from '../identity/sign.ts';
import { Deadline, DeadlineOver, Deadlines, stoodStill } from './deadline.ts';
import { createDial } from './dial.ts';
import { exchange } from './exchange.ts';
import { egressClosed, LocalTrouble, secondsText, withPortHint } from './failure.ts';
import { Pool } from './pool.ts';
import { createResolver, type Resolve } from './resolve.ts';
import { requestBytes } from './http/request.ts';
import { createRouter, type Route } from './route.ts';
import { systemClock, type Clock } from '../domain/clock.ts';

/** One attempt to make, as plain data that can cross to another thread. */
export interface Call {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Counts from the start of the attempt. Of many calls at once some wait for their batch (`thread.ts`). */
  timeoutMs: number;
  /** Counts from the call. Later than that the request is not written. Default: any time. */
  beginWithinMs?: number;
  /** Who makes the call, which the request then says and proves. */
  caller?: Caller;
}

/** Makes calls. Disposing it closes every connection; calls in flight then reject. */
export interface Egress extends AsyncDisposable {
  /** Makes one attempt. It rejects for nothing a target does, but at an abort with `signal.reason`: what the target did is unknown. */
  call(call: Call, signal?: AbortSignal): Promise<AttemptResult>;
  /** Does now what would delay the first call. */
  prepare(): void;
  /** From now on these keys sign the calls that name them, and no others. */
  useCallKeys(keys: readonly CallSigner[]): void;
}

export interface EgressOptions {
  allowTargets: readonly AllowedTarget[];
  /** Most connections to one scheme, host and port; further calls wait within their deadline. */
  connectionsPerHost: number;
  /** Most connections kept open between calls, over all hosts. */
  idleConnections?: number;
  /** Sent as `User-Agent` unless the call has its own. */
  userAgent: string;
  /** Default: loopback names, the hosts file and DNS. */
  resolve?: Resolve;
  /** Certificates (PEM) to trust instead of the built-in ones. */
  ca?: string;
  /** Default: those of this thread. */
  timers?: Clock;
}

/** Connections tried for one attempt: a kept one may turn out closed before the request is written. */
const maxTakes = 3;

/** Creates egress in this thread. Proxies of the environment are ignored: they would choose the address. */
export function createEgress(options: EgressOptions): Egress {
  const { userAgent, ca, connectionsPerHost, idleConnections, timers = systemClock } = options;
  const router = createRouter(options.allowTargets, options.resolve ?? createResolver());
  const pool = new Pool(createDial(ca, timers), connectionsPerHost, { idleConnections, timers });
  const running = new Deadlines(timers);
  const signals = new WeakSet<AbortSignal>();
  let callKeys = new Map<string, CallSigner>();

  async function attempt(call: Call, deadline: Deadline): Promise<AttemptResult> {
    const route = router.route(call.url);
    if ('failure' in route) return failed(route.failure);
    const judged = router.addresses(route.site, deadline);
    const addresses = judged instanceof Promise ? await judged : judged;
    if ('failure' in addresses) return failed(addresses.failure);
    const { origin } = route.site;
    const identity = identityOf(call, `${origin.key}${route.path}`);
    const request = written(call, { route, userAgent, identity });
    if ('failure' in request) return failed(request.failure);
    for (let takes = 0; takes < maxTakes; takes++) {
      const idle = pool.takeIdle(origin, addresses.allowed);
      const taken = idle ?? (await pool.takeAny(origin, addresses.allowed, deadline));
      if ('failure' in taken) return failed(taken.failure);
      const result = await exchange(taken, request, deadline);
      pool.giveBack(taken);
      if (result === 'unsent') continue;
      if (result.kind !== 'failure') return withoutToken(result, identity);
      return withoutToken(failed(withPortHint(result.failure, origin)), identity);
    }
    return failed({ reason: 'reset', detail: 'the connection was closed before it could be used' });
  }

  /** Signs the attempt, if the call says who makes it. */
  function identityOf(call: Call, targetUri: string): Identification | null {
    const { caller, method, body, timeoutMs } = call;
    if (caller === undefined) return null;
    const key = callKeys.get(caller.keyId);
    // Another one signs since the call was begun: whoever makes it again asks for that.
    if (key === undefined) throw new LocalTrouble(`the call key ${caller.keyId} was replaced`);
    return identify({ method, targetUri, body, timeoutMs }, caller, key);
  }

  /** Adds one listener per signal: thousands of calls share the stop signal of a daemon. */
  function listenTo(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (signals.has(signal)) return;
    signals.add(signal);
    const cutOff = (): void => {
      for (const deadline of running) {
        if (deadline.signal === signal) deadline.end({ abortedBy: signal.reason });
      }
    };
    signal.addEventListener('abort', cutOff, { once: true });
  }

  return {
    async call(call, signal) {
      if (signal !== undefined) listenTo(signal);
      const deadline = new Deadline(call, { signal, running });
      try {
        const result = await attempt(call, deadline);
        return deadline.suspendedMs > 0 && !isOfTarget(result) ? suspended(deadline) : result;
      } catch (error) {
        if (error instanceof LocalTrouble) return { kind: 'local', trouble: error.message };
        const { over } = deadline;
        if (!(error instanceof DeadlineOver) || over === null) throw error;
        if (over === 'suspended') return suspended(deadline);
        if (over !== 'expired') throw over.abortedBy;
        const detail = `no answer within ${secondsText(call.timeoutMs)}, ${deadline.phase}`;
        return failed({ reason: 'timeout', detail, unsent: !deadline.isSent });
      } finally {
        deadline.stop();
      }
    },

    prepare() {},

    useCallKeys(keys) {
      callKeys = new Map(keys.map((key) => [key.keyId, key]));
    },

    async [Symbol.asyncDispose]() {
      for (const deadline of running) deadline.end({ abortedBy: egressClosed() });
      await pool[Symbol.asyncDispose]();
    },
  };
}

function failed(failure: Failure): AttemptResult {
  return { kind: 'failure', failure };
}

/** Whether a result says something of the target although this machine stood still: it answered, in whatever way. */
function isOfTarget(result: AttemptResult): boolean {
  if (result.kind === 'response') return result.response.broken === null;
  if (result.kind !== 'failure') return true;
  const word = errorWordOf(result.failure.reason);
  return word === 'protocol' || word === 'blocked_address';
}

/** What came of a call whose time went by while this machine stood still. */
function suspended({ isSent, suspendedMs }: Deadline): AttemptResult {
  const trouble = stoodStill(suspendedMs);
  if (!isSent) return { kind: 'local', trouble };
  return { kind: 'interrupted', trouble: `${trouble} before the answer came` };
}

/** The result without the token of the call, which a target may repeat. */
function withoutToken(result: AttemptResult, identity: Identification | null): AttemptResult {
  const token = identity?.token ?? null;
  if (token === null || result.kind === 'local' || result.kind === 'interrupted') return result;
  return mayRepeat(result) ? redactResult(result, createRedactor(spellingsOf([token]))) : result;
}

interface OwnParts {
  route: Route;
  userAgent: string;
  identity: Identification | null;
}

/** The request as it is sent, or why it cannot be. */
function written(
  call: Call,
  { route, userAgent, identity }: OwnParts,
): { method: string; bytes: string } | { failure: Failure } {
  const { method, body } = call;
  const headers = Object.entries(call.headers);
  const has = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
  const added: [string, string][] = identity === null ? [] : Object.entries(identity.headers);
  if (!has('user-agent')) added.push(['user-agent', userAgent]);
  if (!has('accept')) added.push(['accept', '*/*']);
  if (body !== null && !has('content-type')) {
    added.push(['content-type', 'text/plain; charset=utf-8']);
  }
  headers.push(...added);
  const { host } = route.site;
  try {
    return { method, bytes: requestBytes({ path: route.path, method, host, headers, body }) };
  } catch (error) {
    const detail = `the request cannot be sent: ${messageOf(error)}`;
    return { failure: { reason: 'protocol', detail } };
  }
}
