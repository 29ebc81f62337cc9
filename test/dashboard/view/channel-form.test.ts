/** The form of a channel: it asks for what each kind needs, and sends what was typed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  channelForm,
  channelInput,
  channelLabelsOf,
  emptyInChannel,
} from '../../../src/dashboard/view/channel-form.ts';
import type { ChannelForm } from '../../../src/dashboard/view/channel-form.ts';
import { channelKinds } from '../../../src/dashboard/view/channel-kinds.ts';
import { fieldError, type FieldError } from '../../../src/dashboard/view/forms.ts';
import { channelKinds as registry } from '../../../src/domain/alerts/kinds/registry.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

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
    monitorIds: null,
    selector: null,
    afterFailures: 1,
    alsoOn: [],
    remindEverySeconds: null,
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
    monitorIds: [],
    selector: null,
    afterFailures: 2,
    alsoOn: ['missed'],
    remindEverySeconds: 3_600,
    createdAt: '2026-11-22T00:00:00.000Z',
    lastDelivery: null,
    consecutiveFailures: 0,
    nextAttemptAt: null,
  });
  const served = { jobIds: ['a'], monitorIds: [] };
  const more = { alsoOn: ['missed'], remindEverySeconds: 3_600 };
  const update = {
    name: 'Ann',
    type: 'email',
    ...served,
    selector: null,
    afterFailures: 2,
    ...more,
    enabled: false,
  };
  assert.deepEqual(channelInput(form), update);
  const config = { to: 'bob@example.com' };
  assert.deepEqual(channelInput({ ...form, config }), { ...update, config });
  const all = { isAll: true, ids: ['a'] };
  assert.equal(channelInput({ ...form, jobIds: all }).jobIds, null);
  assert.equal(channelInput({ ...form, monitorIds: all }).monitorIds, null);
  assert.equal(channelInput({ ...form, reminds: false }).remindEverySeconds, null);
  // The API says what is wrong with it.
  assert.equal(channelInput({ ...form, afterFailures: 'two' }).afterFailures, 'two');
});

test('a refusal is said with the label of its field, or that nothing is in it', async (t) => {
  const { ask } = await startTestDaemon(t);
  const form = { ...channelForm(null), name: 'a', config: { url: 'https://example.com/' } };
  const rows: [changed: Partial<ChannelForm>, shown: FieldError][] = [
    [{ name: '' }, { field: 'name', error: 'Name must not be empty' }],
    [{ config: {} }, { field: 'url', error: 'URL must not be empty' }],
    [{ config: { url: 'x' } }, { field: 'url', error: 'URL must begin with http:// or https://' }],
    [
      { type: 'telegram', config: { botToken: ' ', chatId: '1' } },
      { field: 'botToken', error: 'Token of the bot must not be empty' },
    ],
    [
      { afterFailures: '0' },
      {
        field: 'afterFailures',
        error: 'Alert after failures in a row must be between 1 and 100, got 0',
      },
    ],
    [
      { afterFailures: '' },
      { field: 'afterFailures', error: 'Alert after failures in a row must not be empty' },
    ],
  ];
  for (const [changed, shown] of rows) {
    const typed = { ...form, ...changed };
    const { status, body } = await ask('POST', '/channels', channelInput(typed));
    assert.equal(status, 400);
    assert.deepEqual(fieldError(body.error, emptyInChannel(typed), channelLabelsOf(typed)), shown);
  }
});
