import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { judgeUrl, parseAllowTargets, siteText } from '../../src/domain/targets/target.ts';
import { createRouter, targetOf, type Router } from '../../src/egress/route.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/ssrf.json', import.meta.url), 'utf8'),
) as { urls: { url: string }[] };
const allow = parseAllowTargets(['127.0.0.1/32:*', '10.0.0.0/8']);

function startRouter(): Router {
  return createRouter(allow, () => ({ kind: 'addresses', addresses: [] }));
}

/** The router's result for a URL, as text. */
function routed(router: Router, url: string): string {
  const route = router.route(url);
  if ('failure' in route) return route.failure.detail;
  const { protocol, host, port } = route.site.origin;
  return `${protocol} ${host} ${port} ${route.path}`;
}

/** The result of `judgeUrl`. */
function judged(url: string): string {
  try {
    const target = judgeUrl(url, allow);
    const { protocol, hostname, port } = target;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return `${protocol} ${host} ${port || (protocol === 'https:' ? 443 : 80)} ${targetOf(target)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

test('a path is sent as it is written, with an empty query, and without a fragment', () => {
  for (const [written, sent] of [
    ['/a', '/a'],
    ['/a?', '/a?'],
    ['/a?#b?', '/a?'],
    ['/a#?', '/a'],
    ['?', '/?'],
    ['/a??', '/a??'],
    ['/a?b=?#', '/a?b=?'],
  ]) {
    assert.equal(targetOf(new URL(`http://example.com${written}`)), sent, written);
  }
});

test('a URL is judged the same whether its site is cached or not', () => {
  const router = startRouter();
  for (const { url } of vectors.urls) {
    routed(router, siteText(url));
    routed(router, `${siteText(url)}/x`);
    assert.equal(routed(router, url), judged(url), JSON.stringify(url));
    assert.equal(routed(router, url), judged(url), JSON.stringify(url));
  }
});

test('any URL of a cached site is judged as if it were not cached', () => {
  const router = startRouter();
  const site = fc.constantFrom(
    'http://127.0.0.1:8080',
    'https://example.com',
    'HTTP://EXAMPLE.com:80',
    'http://10.1.2.3',
    'http://[2606:4700::1111]',
  );
  const odd = fc.constantFrom(
    '/',
    '?',
    '#',
    '@',
    '\\',
    ':',
    '\t',
    '\n',
    '%',
    '.',
    '/..',
    'a',
    '%2e',
    '//',
    '\ud800',
    'ä',
    '80',
  );
  const rest = fc.array(fc.oneof(odd, fc.anyText(4)), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(site, rest, (known, parts) => {
      routed(router, `${known}/`);
      const url = known + parts.join('');
      assert.equal(routed(router, url), judged(url), JSON.stringify(url));
    }),
    { numRuns: 2_000 },
  );
});
