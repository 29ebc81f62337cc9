/**
 * From a URL to the addresses that may be dialled for it. The text of a URL is judged once and kept,
 * for jobs call the same ones again and again; what its name resolves to is judged whenever it changes.
 */
import { JobdError } from '../domain/errors.ts';
import { isLoopbackName } from '../domain/name.ts';
import type { Failure } from '../domain/outcome.ts';
import { judgeAnswers, judgeUrl, literalOf, portOf, type AllowedTarget } from '../domain/target.ts';
import { within, type Deadline } from './deadline.ts';
import type { Origin } from './dial.ts';
import type { Answers, Resolve } from './resolve.ts';

/** A judged URL, taken apart. */
export interface Route {
  origin: Origin;
  /** Path and query, as they go on the wire. */
  path: string;
  /** The answers of a host that is an address; null for a name. */
  literal: Answers | null;
  /** The answers judged last, and what came of it. */
  judged: Answers | null;
  addresses: Judged;
}

/** The addresses that may be dialled, or why none may. */
export type Judged = { allowed: readonly string[] } | { failure: Failure };

/** Finds and judges the way to a target. */
export interface Router {
  /** The URL was judged when the job was written; the allow list may be another one since. */
  route(url: string): Route | { failure: Failure };
  /** All addresses of the route, judged now. Throws DeadlineOver. */
  addresses(route: Route, deadline: Deadline): Judged | Promise<Judged>;
}

const maxKeptRoutes = 20_000;
/** Longer URLs are rare, and judged anew each time, so that what is kept stays small. */
const maxKeptUrlCharacters = 512;

/** Creates a router for these allow entries. */
export function createRouter(allow: readonly AllowedTarget[], resolve: Resolve): Router {
  const routes = new Map<string, Route>();

  function judge(route: Route, answers: Answers): Judged {
    if (route.judged === answers) return route.addresses;
    route.judged = answers;
    route.addresses = judgeNow(route.origin, answers, allow);
    return route.addresses;
  }

  return {
    route(url) {
      const kept = routes.get(url);
      if (kept !== undefined) return kept;
      const route = newRoute(url, allow);
      if ('failure' in route) return route;
      if (url.length > maxKeptUrlCharacters) return route;
      // Starting over now and then is cheaper than keeping an order on the hot path.
      if (routes.size >= maxKeptRoutes) routes.clear();
      routes.set(url, route);
      return route;
    },
    addresses(route, deadline) {
      const answers = route.literal ?? resolve(route.origin.host);
      if (!(answers instanceof Promise)) return judge(route, answers);
      return within(deadline, answers).then((resolved) => judge(route, resolved));
    },
  };
}

function newRoute(raw: string, allow: readonly AllowedTarget[]): Route | { failure: Failure } {
  let url: URL;
  try {
    url = judgeUrl(raw, allow);
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    return { failure: { reason: 'blocked_address', detail: error.message } };
  }
  const address = literalOf(url);
  return {
    origin: {
      protocol: url.protocol === 'https:' ? 'https:' : 'http:',
      host: address ?? url.hostname,
      port: portOf(url),
      key: url.origin,
    },
    path: url.pathname + url.search,
    literal: address === null ? null : { kind: 'addresses', addresses: [address] },
    judged: null,
    addresses: { allowed: [] },
  };
}

function judgeNow(origin: Origin, answers: Answers, allow: readonly AllowedTarget[]): Judged {
  const { host, port } = origin;
  if (answers.kind === 'failure') {
    const { detail, temporary } = answers;
    return { failure: { reason: 'dns', detail, temporary } };
  }
  if (answers.addresses.length === 0) {
    return { failure: { reason: 'dns', detail: `${host} has no address`, temporary: false } };
  }
  const verdict = judgeAnswers(answers.addresses, port, allow, isLoopbackName(host));
  if (verdict.allowed) return { allowed: verdict.addresses };
  return { failure: { reason: 'blocked_address', detail: verdict.reason } };
}
