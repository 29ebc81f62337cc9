/** No part of a request can add a line to it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { requestBytes, type WireRequest } from '../../../src/egress/http/request.ts';

const plain: WireRequest = {
  method: 'POST',
  path: '/a?b=c',
  host: 'example.com',
  headers: [['X-A', 'b']],
  body: 'é',
};

test('a request is written as it is', () => {
  assert.equal(
    requestBytes(plain),
    'POST /a?b=c HTTP/1.1\r\nhost: example.com\r\nconnection: keep-alive\r\nX-A: b\r\n' +
      'content-length: 2\r\n\r\n\xc3\xa9',
  );
});

test('parts that do not belong into a request are refused, without their value', () => {
  const changes: Partial<WireRequest>[] = [
    { method: 'GET / HTTP/1.1\r\nx: y\r\n\r\nGET' },
    { method: '' },
    { path: '/a b' },
    { path: '/\r\nx: y' },
    { path: 'http://other.example/' },
    { path: '/é' },
    { host: 'a\r\nx: y' },
    { host: '' },
    { headers: [['x', 's3cret\r\ny: z']] },
    { headers: [['x', 's3cret\n']] },
    { headers: [['x', 's3cret\0']] },
    { headers: [['x', 's3cret\u0100']] },
    { headers: [['x: y\r\nz', 'a']] },
    { headers: [['', 'a']] },
    { headers: [['Content-Length', '5']] },
    { headers: [['transfer-encoding', 'chunked']] },
    { headers: [['HOST', 'other.example']] },
  ];
  for (const change of changes) {
    assert.throws(
      () => requestBytes({ ...plain, ...change }),
      (error: Error) => !error.message.includes('s3cret'),
      JSON.stringify(change),
    );
  }
});

test('whatever its parts are, a request that is written has the lines that it should have', () => {
  const text = fc.oneof(fc.anyText(12), fc.string({ unit: 'grapheme-ascii', maxLength: 12 }));
  const request = fc.record({
    method: fc.oneof(text, fc.constantFrom('GET', 'POST')),
    path: fc.oneof(
      text.map((given) => `/${given}`),
      fc.constant('/'),
    ),
    host: fc.oneof(text, fc.constant('a.example')),
    headers: fc.array(fc.tuple(fc.oneof(text, fc.constant('x')), text), { maxLength: 3 }),
    body: fc.option(text),
  });
  let written = 0;
  fc.assert(
    fc.property(request, (given) => {
      let bytes: string;
      try {
        bytes = requestBytes(given);
      } catch {
        return;
      }
      written += 1;
      const head = bytes.slice(0, bytes.indexOf('\r\n\r\n'));
      const lines = head.split('\r\n');
      const hasLength = given.body !== null || given.method === 'POST';
      assert.equal(lines.length, 3 + given.headers.length + (hasLength ? 1 : 0));
      assert.equal(lines[0], `${given.method} ${given.path} HTTP/1.1`);
      assert.doesNotMatch(lines.join(''), /[\r\n\0]/);
      assert.equal(lines[0]?.split(' ').length, 3);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(written > 20, `${written} were written`);
});
