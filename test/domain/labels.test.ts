/** Labels and selectors (docs/behavior.md#label-1, docs/behavior.md#label-2). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, labelWords, readLabels, readSelector } from '../../src/domain/labels.ts';

const key = /^labels must have keys of 1 to 63 lower-case letters, digits and \. _ \/ -/;
const value = /^labels\.a must be 1 to 100 characters without commas, control characters/;

test('labels are kept by their keys in order, and none are null', () => {
  const kept = readLabels({ env: 'prod', client: 'Acme & Söhne', 'team.io/x_y': '1' });
  assert.equal(labelWords(kept), 'client=Acme & Söhne env=prod team.io/x_y=1');
  assert.equal(readLabels({}), null);
  assert.equal(readLabels(null), null);
  const many = Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [`k${at}`, '😀'.repeat(100)]),
  );
  assert.equal(Object.keys(readLabels({ ...many }) ?? {}).length, 16);
  assert.throws(
    () => readLabels({ ...many, more: 'x' }),
    /^JobdError: labels must be at most 16, got 17/,
  );
});

test('a key or value that breaks the rule is named', () => {
  for (const name of ['Client', '', '-a', 'a-', 'a b', 'é', 'k'.repeat(64), '__proto__']) {
    const labels = JSON.parse(`{${JSON.stringify(name)}:"x"}`) as Record<string, string>;
    assert.throws(() => readLabels(labels), { message: key }, name);
  }
  for (const text of ['', ' a', 'a ', 'a,b', 'a\nb', '\0', '=', '= a', 'v'.repeat(101), '\u202e']) {
    assert.throws(() => readLabels({ a: text }), { message: value }, JSON.stringify(text));
  }
});

test('a value that begins with = is refused with what to write', () => {
  const message = /, got "==acme": write client=acme$/;
  assert.throws(() => readLabels({ client: '==acme' }), { message });
});

test('a selector is terms that must all hold', () => {
  const labels = readLabels({ client: 'acme', env: 'prod', constructor: 'x', math: 'a=b' });
  const held = [
    'client=acme',
    'client',
    '!team',
    'env!=dev',
    'team!=x',
    'client=acme, env',
    'math=a=b',
    'client==acme',
    'math==a=b, env',
  ];
  const failed = [
    'client=Acme',
    'client=acm',
    '!client',
    'env!=prod',
    'team',
    'client=acme,env=dev',
    'client==acm',
  ];
  for (const text of held) assert.equal(fits(labels, readSelector(text)), true, text);
  for (const text of failed) assert.equal(fits(labels, readSelector(text)), false, text);
  assert.equal(fits(null, readSelector('!client')), true);
  assert.equal(fits(readLabels({ a: 'x' }), readSelector('constructor')), false);
});

test('a text that is no selector says what one is', () => {
  for (const text of [
    'client = acme',
    '=acme',
    'Client=acme',
    '!client=acme',
    'client=',
    'client==',
    'client===acme',
    'client!==acme',
    'a,,b',
    '!',
    'a,',
  ]) {
    const problem =
      /^selector must be terms such as client=acme, client!=acme, client or !client, with/;
    assert.throws(() => readSelector(text), { message: problem }, text);
  }
  assert.throws(() => readSelector(''), { message: 'selector must not be empty' });
  assert.throws(() => readSelector('a'.repeat(401)), {
    message: /at most 400 characters, got 401/,
  });
  const eleven = Array.from({ length: 11 }, (_, at) => `k${at}`).join(',');
  assert.throws(() => readSelector(eleven, '--selector'), {
    message: '--selector must be at most 10 terms, got 11',
  });
});
