/**
 * From a URL to the addresses that may be dialled for it. The verdict on a scheme and authority is cached, because jobs
 * call the same ones again and again. The addresses of a name are judged again whenever they change.
 */
import { JobdError } from '../domain/errors.ts';
import { isLoopbackName } from '../domain/targets/host-name.ts';
import type { Failure } from '../domain/runs/outcome.ts';
import {
  judgeAnswers,
  judgeUrl,
  leadsToMetadata,
  literalOf,
  plainUrl,
  portOf,
  siteText,
  type AllowedTarget,
} from '../domain/targets/target.ts';
import { within, type Deadline } from './deadline.ts';
import { Lru } from './lru.ts';
import type { Answers, Resolve } from './resolve.ts';

/** Scheme, host and port of a URL. */
export interface Origin {
  protocol: 'http:' | 'https:';
  /** A name in lower case, or an address without brackets. */
  host: string;
  port: number;
  /** `https://example.com`, as the pool knows it. */
  key: string;
}

/** A judged URL in its parts. */
export interface Route {
  site: Site;
  /** Path and query, as they are sent. */
  path: string;
}

/** What is known about all URLs that begin with the same scheme and authority. */
export interface Site {
  origin: Origin;
  /** Host and port, as the Host header names them: without the port of the scheme. */
  host: string;
  /** The address as DNS answers, if the host is an address; null for a name. */
  literal: Answers | null;
  /** The DNS answers judged last, and the verdict on them. */
  judged: Answers | null;
  addresses: Judged;
}

/** The addresses that may be dialled, or why none may. */
export type Judged = { allowed: readonly string[] } | { failure: Failure };

/** Finds and judges the route to a target. */
export interface Router {
  /** Judges the URL again: the allow list may have changed since the job was written. */
  route(url: string): Route | { failure: Failure };
  /** Judges all addresses of the site. Throws DeadlineOver. */
  addresses(site: Site, deadline: Deadline): Judged | Promise<Judged>;
}

const maxKeptSites = 20_000;
/** Paths and queries that are sent as they are written: nothing in them is encoded, and no segment begins with a dot. */
const asSent = /^(?:\/(?!\.)[\w.~-]{0,200}){1,8}(?:\?[\w.~=&+-]{0,200})?$/;

/** Creates a router for these allow entries. */
export function createRouter(allow: readonly AllowedTarget[], resolve: Resolve): Router {
  /** By scheme and authority as written: a storm on one host judges its name and its addresses once. */
  const sites = new Lru<Site>(maxKeptSites);

  function judge(site: Site, answers: Answers): Judged {
    if (site.judged === answers) return site.addresses;
    site.judged = answers;
    site.addresses = judgeNow(site.origin, answers, allow);
    return site.addresses;
  }

  /** Of a URL that begins with this text. Throws `invalid_input`. */
  function judgedSite(text: string, raw: string): Site {
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
        const text = siteText(raw);
        const site = judgedSite(text, raw);
        const path = raw.slice(text.length);
        return { site, path: asSent.test(path) ? path : targetOf(plainUrl(raw)) };
      } catch (error) {
        if (!(error instanceof JobdError)) throw error;
        const reason = leadsToMetadata(raw) ? 'blocked_metadata' : 'blocked_address';
        return { failure: { reason, detail: error.message } };
      }
    },
    addresses(site, deadline) {
      const answers = site.literal ?? resolve(site.origin.host);
      if (!(answers instanceof Promise)) return judge(site, answers);
      return within(deadline, answers).then((resolved) => judge(site, resolved));
    },
  };
}

/** Path and query of a URL as they are sent: an empty query is one too (RFC 3986, section 6.2.3). */
export function targetOf({ href, pathname, search }: URL): string {
  if (search !== '') return pathname + search;
  const [withoutHash = ''] = href.split('#', 1);
  return withoutHash.endsWith('?') ? `${pathname}?` : pathname;
}

/** A slice of a string keeps the whole string in memory, here a URL. A copy does not. */
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
    host: url.host,
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
  const reason = verdict.isMetadata ? 'blocked_metadata' : 'blocked_address';
  return { failure: { reason, detail: verdict.reason } };
}
