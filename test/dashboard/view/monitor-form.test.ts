import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  emptyInMonitor,
  monitorForm,
  monitorInput,
} from '../../../src/dashboard/view/monitor-form.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

test('a new monitor has the zone of the browser, and needs a name and a schedule', () => {
  const form = monitorForm(null, 'Europe/Paris');
  assert.deepEqual(monitorInput(form), {
    name: '',
    labels: null,
    notes: '',
    scheduleType: 'cron',
    timezone: 'Europe/Paris',
    cronExpr: '',
    graceSeconds: 300,
    paused: false,
  });
  assert.deepEqual(emptyInMonitor(form), ['name', 'cronExpr']);
});

test('what is read of a monitor is what an update sends', async (t) => {
  const { ask } = await startTestDaemon(t);
  const input = {
    name: 'Dump',
    labels: { client: 'acme' },
    notes: 'on db1',
    scheduleType: 'period',
    timezone: 'UTC',
    periodSeconds: 7_200,
    graceSeconds: 90,
  };
  const { body } = await ask('POST', '/monitors', input);
  const form = monitorForm(body.monitor, 'Europe/Paris');
  assert.deepEqual(form.graceSeconds, { count: '90', unit: 'seconds' });
  assert.deepEqual(monitorInput(form), { ...input, paused: false });
  assert.deepEqual(emptyInMonitor(form), []);
});
