/** Badges as anybody may ask for them: answered from memory, so that a flood of requests costs the store nothing. */

import { fixedAnswer, jsonType } from '../../api/http/fixed-answer.ts';
import { sha256Of } from '../../app/accounts/secrets.ts';
import type { Ground } from '../../app/app.ts';
import { countOf } from './badges.ts';
import { pictureOf } from './picture.ts';
import { findShownBadge, type Badge } from './query.ts';
import { said, type Counts, type Said } from './state.ts';

/** How long what a badge says is good: monitors ask about once a minute, and most jobs are due no more often. */
const goodForSeconds = 30;
/** Counts are good for as many times as long as counting took, if that is longer: a badge takes 1 % of the time at most. */
const costFactor = 100;
/** Badges in memory, of a few KiB each. Beyond that the one that was looked up longest ago is forgotten. */
const mostKept = 5_000;
const tokenPattern = /^cpb_[0-9a-f]{32}$/;
const goodForMs = goodForSeconds * 1_000;
const cacheControl = `public, max-age=${goodForSeconds}`;

/** Answers a request. */
export type Answer = ReturnType<typeof fixedAnswer>;

/** Both answers of a badge. */
export type Shown = Record<'svg' | 'json', Answer>;

/** A badge in memory. Times are of the monotonic clock. */
interface Known {
  until: number;
  shown: Shown;
  counts: Counts;
  countedUntil: number;
}

/**
 * Makes a function that finds the badge with a token; undefined if there is none. `onStranger` is called before the store is
 * asked for a token that this process does not know, and may throw.
 */
export function createShownBadges({ store, clock }: Ground) {
  const kept = new Map<string, Known>();
  const asked = new Map<string, Promise<Shown | undefined>>();
  let last: Promise<unknown> = Promise.resolve();

  async function counted(badge: Badge, at: number, before: Known | undefined) {
    if (before !== undefined && at < before.countedUntil) return before;
    const counts = await countOf(store.db, badge);
    const tookMs = clock.monotonicMs() - at;
    return { counts, countedUntil: at + Math.max(goodForMs, tookMs * costFactor) };
  }

  async function look(sha256: string): Promise<Shown | undefined> {
    const at = clock.monotonicMs();
    const badge = await findShownBadge(store.db, sha256, clock.now());
    const count = badge && (await counted(badge, at, kept.get(sha256)));
    kept.delete(sha256);
    if (badge === undefined || count === undefined) return undefined;
    const shown = shownAs(badge.name, said(count.counts));
    kept.set(sha256, { ...count, until: at + goodForMs, shown });
    const [oldest = ''] = kept.keys();
    if (kept.size > mostKept) kept.delete(oldest);
    return shown;
  }

  /** One badge at a time, and each only once: others wait for the same answer. */
  function lookOnce(sha256: string): Promise<Shown | undefined> {
    const asking = asked.get(sha256);
    if (asking !== undefined) return asking;
    const found = last.then(() => look(sha256)).finally(() => asked.delete(sha256));
    last = found.catch(() => {});
    asked.set(sha256, found);
    return found;
  }

  return async (token: string, onStranger: () => void): Promise<Shown | undefined> => {
    if (!tokenPattern.test(token)) return undefined;
    const sha256 = sha256Of(token);
    const known = kept.get(sha256);
    if (known === undefined) onStranger();
    else if (clock.monotonicMs() < known.until) return known.shown;
    return await lookOnce(sha256);
  };
}

function shownAs(label: string, state: Said): Shown {
  const { message, colour, isError } = state;
  const document = { schemaVersion: 1, label, message, color: colour.name, isError };
  return {
    svg: fixedAnswer('image/svg+xml', () => pictureOf(label, state), cacheControl),
    json: fixedAnswer(jsonType, () => JSON.stringify(document), cacheControl),
  };
}
