/**
 * What a rate limit allows and what of it is left, as headers: `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers. Each is a list with one item (RFC 9651): a name and whole numbers.
 */

import type { Left, RateRule } from '../../../domain/accounts/rate-limiter.ts';

/** The headers of an answer to a request that counted, or was refused. `t` is rounded up: waiting that long is enough. */
export function quotaHeaders(name: string, rule: RateRule, { remaining, moreInMs }: Left) {
  return {
    'ratelimit-policy': policyOf(name, rule),
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(moreInMs / 1_000)}`,
  };
}

/** The same where nothing is left and `Retry-After` says how long to wait. */
export function spentHeaders(name: string, rule: RateRule) {
  return { 'ratelimit-policy': policyOf(name, rule), ratelimit: `"${name}";r=0` };
}

/** The same of an action that is allowed once in a while: `waitSeconds` of the pause are left. */
export function pauseHeaders(pauseSeconds: number, waitSeconds: number) {
  return {
    'ratelimit-policy': `"action";q=1;w=${pauseSeconds}`,
    ratelimit: `"action";r=0;t=${waitSeconds}`,
  };
}

function policyOf(name: string, { limit, windowMs }: RateRule): string {
  return `"${name}";q=${limit};w=${windowMs / 1_000}`;
}
