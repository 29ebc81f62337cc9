/** Which addresses the operator allows for email. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMailAllowed, parseMailRules } from '../../../src/domain/alerts/mail-allow.ts';

const parse = (...texts: string[]) => parseMailRules(texts, '--mail-allow');

test('an address is covered by itself or its domain, a subdomain only by a subdomain rule', () => {
  const rows: [rules: string[], address: string, isAllowed: boolean][] = [
    [[], 'any@example.net', true],
    [['ops@example.com'], 'ops@example.com', true],
    [['ops@example.com'], 'ops@EXAMPLE.com', true],
    [['Ops@Example.COM'], 'Ops@example.com', true],
    [['ops@example.com'], 'Ops@example.com', false],
    [['ops@example.com'], 'dev@example.com', false],
    [['ops@example.com'], 'x.ops@example.com', false],
    [['ops@example.com', 'example.org'], 'any@Example.Org', true],
    [['example.org'], 'any@mail.example.org', false],
    [['example.org'], 'any@notexample.org', false],
    [['example.org'], 'any@example.org.evil.example', false],
    [['example.org'], 'example.org@evil.example', false],
    [['.example.org'], 'any@mail.example.org', true],
    [['.example.org'], 'any@a.b.example.org', true],
    [['*.example.org'], 'any@mail.example.org', true],
    [['.example.org'], 'any@example.org', false],
    [['.example.org'], 'any@notexample.org', false],
  ];
  for (const [rules, address, isAllowed] of rows) {
    assert.equal(isMailAllowed(address, parse(...rules)), isAllowed, `${rules.join()} ${address}`);
  }
});

test('an invalid rule is refused with the name of the setting', () => {
  const wrong = [
    '*',
    '@example.com',
    'a b',
    'ops@',
    '..example.com',
    '*@example.com',
    'a@*.com',
    '.a@b.c',
    '*.*.com',
  ];
  for (const text of wrong)
    assert.throws(() => parse('ok.example', text), /^JobdError: --mail-allow must be .*, got /);
});
