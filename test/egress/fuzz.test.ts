/** Answers cut at any byte and random bytes: each call still returns a result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { errorOfResult, outcomeOf } from '../../src/domain/runs/outcome.ts';
import { answer, eventually, get, ofTarget, startEgress, startTarget } from './support.ts';

const whole = [
  answer('hello', '200 OK', 'connection: close\r\n').toString(),
  `HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${answer('hello').toString()}`,
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nt: v\r\n\r\n',
];

test('an answer cut at any byte, by a close or a reset, is a success only when it is whole', async (t) => {
  const cuts = whole.flatMap((text) =>
    Array.from(text, (_, length) => [text.slice(0, length), text] as const).concat([[text, text]]),
  );
  let current = '';
  let resets = false;
  const target = await startTarget(t, (socket) => {
    socket.write(current, () => {
      if (resets) socket.resetAndDestroy();
      else socket.end();
    });
  });
  const egress = startEgress(t);
  for (resets of [false, true]) {
    for (const [text, complete] of cuts) {
      current = text;
      const outcome = outcomeOf(ofTarget(await egress.call(get(target.url))));
      const how = `${JSON.stringify(text)} ${resets ? 'reset' : 'closed'}: ${outcome.reason}`;
      // A reset may overtake earlier data.
      if (text !== complete) assert.equal(outcome.status, 'failed', how);
      else if (!resets)
        assert.deepEqual([outcome.status, outcome.responseBody], ['success', 'hello']);
      if (outcome.reason !== null) assert.match(outcome.reason, /^(reset|protocol)$/, how);
    }
  }
  assert.ok(target.requests.length <= cuts.length * 2, 'nothing was asked for twice');
  await eventually(() => target.open.size === 0);
});

const piece = fc.oneof(
  fc.constantFrom(
    'HTTP/1.1 ',
    '200 OK',
    '100 X',
    '204 X',
    '304 X',
    '101 X',
    '\r\n',
    '\r\n\r\n',
    '\n',
  ),
  fc.constantFrom('content-length: ', '5', 'transfer-encoding: chunked', 'connection: close', ': '),
  fc.constantFrom(
    'keep-alive: timeout=',
    'upgrade: x\r\nconnection: upgrade',
    '0\r\n\r\n',
    '\0',
    ' ',
  ),
  fc.anyText(10),
);

test('random bytes give a result, and only end the connection', async (t) => {
  let noise: string[] = [];
  let index = 0;
  const target = await startTarget(t, (socket) => {
    const text = noise[index++ % noise.length] ?? '';
    // In two parts, so that the parser stops in the middle.
    socket.write(text.slice(0, text.length / 2), () => socket.end(text.slice(text.length / 2)));
  });
  const egress = startEgress(t);
  const beginning = fc.constantFrom('', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\n\r\n');
  const text = fc.tuple(beginning, fc.array(piece, { maxLength: 12 }));
  const texts = fc.array(
    text.map(([start, pieces]) => start + pieces.join('')),
    { minLength: 20, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(texts, async (sample) => {
      noise = sample;
      const results = await Promise.all(sample.map(() => egress.call(get(target.url))));
      for (const result of results) {
        const error = errorOfResult(ofTarget(result));
        assert.match(error ?? 'http: ', /^(reset|protocol|redirect|http): /);
      }
    }),
    { numRuns: 100 },
  );
  await eventually(() => target.open.size === 0);
});
