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
  site: Site;
  /** Path and query, as they go on the wire. */
  path: string;
}

/** What the URLs of one origin have in common. */
export interface Site {
  origin: Origin;
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
  /** All addresses of the site, judged now. Throws DeadlineOver. */
  addresses(site: Site, deadline: Deadline): Judged | Promise<Judged>;
}

const maxKeptRoutes = 20_000;
/** Longer URLs are rare, and judged anew each time, so that what is kept stays small. */
const maxKeptUrlCharacters = 512;

/** Creates a router for these allow entries. */
export function createRouter(allow: readonly AllowedTarget[], resolve: Resolve): Router {
  const routes = new Map<string, Route>();
  /** By the keys of their origins: a storm on one host judges its addresses once. */
  const sites = new Map<string, Site>();

  function judge(site: Site, answers: Answers): Judged {
    if (site.judged === answers) return site.addresses;
    site.judged = answers;
    site.addresses = judgeNow(site.origin, answers, allow);
    return site.addresses;
  }

  function newRoute(raw: string): Route | { failure: Failure } {
    try {
      const url = judgeUrl(raw, allow);
      return { site: siteOf(url), path: url.pathname + url.search };
    } catch (error) {
      if (!(error instanceof JobdError)) throw error;
      return { failure: { reason: 'blocked_address', detail: error.message } };
    }
  }

  function siteOf(url: URL): Site {
    const known = sites.get(url.origin);
    if (known !== undefined) return known;
    if (sites.size >= maxKeptRoutes) forget();
    const site = newSite(url);
    sites.set(url.origin, site);
    return site;
  }

  function forget(): void {
    routes.clear();
    sites.clear();
  }

  return {
    route(url) {
      const kept = routes.get(url);
      if (kept !== undefined) return kept;
      const route = newRoute(url);
      if ('failure' in route) return route;
      if (url.length > maxKeptUrlCharacters) return route;
      // Starting over now and then is cheaper than keeping an order on the hot path.
      if (routes.size >= maxKeptRoutes) forget();
      routes.set(url, route);
      return route;
    },
    addresses(site, deadline) {
      const answers = site.literal ?? resolve(site.origin.host);
      if (!(answers instanceof Promise)) return judge(site, answers);
      return within(deadline, answers).then((resolved) => judge(site, resolved));
    },
  };
}

function newSite(url: URL): Site {
  const address = literalOf(url);
  return {
    origin: {
      protocol: url.protocol === 'https:' ? 'https:' : 'http:',
      host: address ?? url.hostname,
      port: portOf(url),
      key: url.origin,
    },
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
