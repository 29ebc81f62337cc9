/** The form of a channel: it asks for what each kind needs, and sends what was typed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  channelFields,
  channelForm,
  channelInput,
  channelUpdate,
} from '../../../src/dashboard/view/channel-form.ts';
import { channelKinds } from '../../../src/dashboard/view/channel-kinds.ts';
import { channelKinds as registry } from '../../../src/domain/alerts/kinds/registry.ts';

test('the form has each kind of channel with all of its fields', () => {
  assert.deepEqual(Object.keys(channelKinds).toSorted(), Object.keys(registry).toSorted());
  for (const [type, { fields }] of Object.entries(registry)) {
    const shown = channelKinds[type as keyof typeof channelKinds].fields;
    assert.deepEqual(Object.keys(shown), Object.keys(fields), type);
    for (const [name, { isOptional }] of Object.entries(fields)) {
      assert.equal(shown[name]?.isOptional, isOptional, `${type}.${name}`);
    }
  }
});

test('only fields of the chosen type that are filled in are sent', () => {
  const form = {
    ...channelForm(null),
    name: 'on-call',
    type: 'webhook' as const,
    config: { to: 'ann@example.com', url: ' https://ops.example.com ', secret: '' },
  };
  assert.deepEqual(channelInput(form), {
    name: 'on-call',
    type: 'webhook',
    config: { url: 'https://ops.example.com' },
    jobIds: null,
    afterFailures: 1,
    enabled: true,
  });
});

test('an edited channel keeps its destination unless another was typed', () => {
  const form = channelForm({
    id: 'c',
    name: 'Ann',
    type: 'email',
    destination: 'a…@example.com',
    enabled: false,
    jobIds: ['a'],
    afterFailures: 2,
    createdAt: '2026-11-22T00:00:00.000Z',
    lastDelivery: null,
  });
  const update = { name: 'Ann', jobIds: ['a'], afterFailures: 2, enabled: false };
  assert.deepEqual(channelUpdate(form), update);
  const config = { to: 'bob@example.com' };
  assert.deepEqual(channelUpdate({ ...form, config }), { ...update, config });
  assert.equal(channelUpdate({ ...form, servesAll: true }).jobIds, null);
  // The API says what is wrong with it.
  assert.equal(channelUpdate({ ...form, afterFailures: 'two' }).afterFailures, 'two');
});

test('errors are shown beside the fields of the type', () => {
  assert.deepEqual(channelFields('telegram').slice(-2), ['botToken', 'chatId']);
});
