import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  defaultPreferences,
  parsePreferences,
  preferencesKey,
} from '../../../src/dashboard/view/preferences.ts';

test('kept preferences are read back', () => {
  const preferences = { theme: 'dark', density: 'compact', hasShortcuts: false } as const;
  assert.deepEqual(parsePreferences(JSON.stringify(preferences)), preferences);
  assert.equal(
    JSON.stringify(parsePreferences(JSON.stringify(preferences))),
    JSON.stringify(preferences),
  );
});

test('what is missing or makes no sense is the default', () => {
  for (const text of [
    null,
    '',
    '{',
    'null',
    '5',
    '"dark"',
    '["dark"]',
    '{"theme":"__proto__"}',
    '{"theme":1}',
    '{"hasShortcuts":"no"}',
  ]) {
    assert.deepEqual(parsePreferences(text), defaultPreferences, String(text));
  }
  assert.deepEqual(parsePreferences('{"theme":"light","density":"huge","other":[1]}'), {
    ...defaultPreferences,
    theme: 'light',
  });
});

test('each path of a host has its own', () => {
  assert.notEqual(preferencesKey('/a/'), preferencesKey('/b/'));
});
