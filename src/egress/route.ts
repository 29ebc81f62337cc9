/**
 * From a URL to the addresses that may be dialled for it. Scheme, host and port are judged once as they are written
 * and kept, for jobs call the same ones again and again; what a name resolves to is judged whenever it changes.
 */
import { JobdError } from '../domain/errors.ts';
import { isLoopbackName } from '../domain/targets/host-name.ts';
import type { Failure } from '../domain/runs/outcome.ts';
import {
  judgeAnswers,
  judgeUrl,
  literalOf,
  plainUrl,
  portOf,
  siteText,
  type AllowedTarget,
} from '../domain/targets/target.ts';
import { within, type Deadline } from './deadline.ts';
import type { Origin } from './dial.ts';
import { createRecent } from './recent.ts';
import type { Answers, Resolve } from './resolve.ts';

/** A judged URL, taken apart. */
export interface Route {
  site: Site;
  /** Path and query, as they go on the wire. */
  path: string;
}

/** What URLs have in common whose scheme and authority are written alike. */
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

const maxKeptSites = 20_000;

/** Creates a router for these allow entries. */
export function createRouter(allow: readonly AllowedTarget[], resolve: Resolve): Router {
  /** By how they are written: a storm on one host judges its name and its addresses once. */
  const sites = createRecent<Site>(maxKeptSites);

  function judge(site: Site, answers: Answers): Judged {
    if (site.judged === answers) return site.addresses;
    site.judged = answers;
    site.addresses = judgeNow(site.origin, answers, allow);
    return site.addresses;
  }

  /** Throws `invalid_input`. */
  function judgedSite(raw: string): Site {
    const text = siteText(raw);
    const known = sites.get(text);
    if (known !== undefined) return known;
    judgeUrl(raw, allow);
    const site = newSite(new URL(text));
    sites.set(copyOf(text), site);
    return site;
  }

  return {
    route(raw) {
      try {
        const site = judgedSite(raw);
        const url = plainUrl(raw);
        return { site, path: url.pathname + url.search };
      } catch (error) {
        if (!(error instanceof JobdError)) throw error;
        return { failure: { reason: 'blocked_address', detail: error.message } };
      }
    },
    addresses(site, deadline) {
      const answers = site.literal ?? resolve(site.origin.host);
      if (!(answers instanceof Promise)) return judge(site, answers);
      return within(deadline, answers).then((resolved) => judge(site, resolved));
    },
  };
}

/** A piece of a string keeps all of it in memory, here a whole URL; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
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
