/** The tables of fields: what is made from a row fits together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelFields } from '../../src/domain/alerts/fields.ts';
import { brokenRule, keyOf, labelInside, optionFor } from '../../src/domain/fields.ts';
import type { Field, Fields } from '../../src/domain/fields.ts';
import { jobFields } from '../../src/domain/jobs/fields.ts';
import { monitorFields } from '../../src/domain/monitors/fields.ts';

const tables: Record<string, Fields> = { jobFields, monitorFields, channelFields };

for (const [table, fields] of Object.entries(tables)) {
  test(`${table}: keys, options and labels are of one field each`, () => {
    const rows = Object.entries(fields);
    for (const nameOf of [keyOf, optionFor, (_: string, { label }: Field) => label]) {
      const made = rows.map(([name, field]) => nameOf(name, field));
      assert.deepEqual(made, [...new Set(made)]);
    }
  });

  test(`${table}: help is a clause, and a default keeps its rule`, () => {
    for (const [name, field] of Object.entries(fields)) {
      assert.match(field.help, /^(?:[a-z]|HTTP|IANA|URL).*[^.]$/, name);
      if (field.default === undefined || field.default === null) continue;
      assert.equal(brokenRule(field.rule, field.default), undefined, name);
    }
  });
}

test('a field has other names on the command line, in files and in a sentence', () => {
  const { timezone, timeoutSeconds, onResultSecret }: Fields = jobFields;
  assert.equal(keyOf('timeoutSeconds', timeoutSeconds), 'timeout');
  assert.equal(keyOf('onResultSecret', onResultSecret), 'on-result-secret');
  assert.equal(optionFor('timezone', timezone), '--tz');
  assert.equal(labelInside(timezone.label), 'time zone');
  assert.equal(labelInside('URL'), 'URL');
});
