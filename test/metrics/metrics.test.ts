import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { pino } from 'pino';
import type { StoredFigures } from '../../src/domain/meter.ts';
import { found } from '../../src/domain/findings.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { startTestDaemon } from '../support/running/daemon.ts';
import { startSink } from '../support/fakes/sink.ts';
import { until } from '../support/until.ts';

test('a manual run shows in the metrics, which are served on their own address', async (t) => {
  const lines: { msg: string; url?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { ask, url } = await startTestDaemon(t, { log, flags: { metrics: '127.0.0.1:0' } });
  const sink = await startSink(t);
  const none = (await ask('GET', '/lateness')).body;
  assert.deepEqual(none, { windowSeconds: 3_600, p50Ms: null, p99Ms: null, maxMs: null });

  const input = { name: 'a', url: sink.url, scheduleType: 'cron', cronExpr: '0 0 1 1 *' };
  const { job } = (await ask('POST', '/jobs', { ...input, timezone: 'UTC' })).body;
  assert.equal((await ask('POST', `/jobs/${job.id}/run`)).status, 202);
  const address = lines.find(({ msg }) => msg === 'metrics are served')?.url ?? '';
  const read = async () => await (await fetch(address)).text();
  const metrics = await until('a counted run', async () => {
    const text = await read();
    return /^jobd_runs_ended_total\{status="success"\} 1$/m.test(text) ? text : null;
  });
  for (const line of [
    /^jobd_runs_ended_total\{status="failed"\} 0$/m,
    /^jobd_run_lateness_seconds_count 1$/m,
    /^jobd_run_duration_seconds_count 1$/m,
    /^jobd_slots 512$/m,
    /^jobd_healthy 1$/m,
    /^jobd_alert_attempts_total\{result="given_up"\} 0$/m,
    /^jobd_clock_steps_total 0$/m,
    /^jobd_jobs_due 0$/m,
    /^jobd_receipts_unsigned \d$/m,
    /^jobd_database_bytes [1-9]\d+$/m,
    /^jobd_info\{version="[\d.]+"\} 1$/m,
    /^process_cpu_seconds_total /m,
  ]) {
    assert.match(metrics, line);
  }
  const lateness = (await ask('GET', '/lateness')).body;
  assert.ok(lateness.p50Ms >= 0 && lateness.p50Ms <= lateness.maxMs);

  assert.equal((await fetch(`${url}/metrics`)).status, 404, 'not where people ask');
  assert.equal((await fetch(new URL('/', address))).status, 404);
  assert.equal((await fetch(address, { method: 'POST' })).status, 404);
  const statusFor = async (host: string): Promise<number | undefined> => {
    const sent = request(address, { headers: { host } }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const host of [
    'localhost:9464',
    '127.0.0.1',
    '127.0.0.2:1',
    '[::1]:9464',
    'LOCALHOST',
    'a.localhost',
  ]) {
    assert.equal(await statusFor(host), 200, host);
  }
  for (const host of [
    'rebound.example:9464',
    '203.0.113.9',
    '127.0.0.1.example',
    'localhost.example:80',
  ]) {
    assert.equal(await statusFor(host), 403, host);
  }
});

test('what the engine counts shows, and what the store does not say is left out', async () => {
  let isFailing = true;
  let figures: StoredFigures | null = {
    jobsDue: 3,
    receiptsUnsigned: 2,
    reportsWaiting: 4,
    resultsWaiting: 5,
    databaseBytes: 4_096,
    diskFreeBytes: null,
    ledgerCheckedAtSeconds: 1_780_000_000,
  };
  const metrics = createMetrics({
    slots: () => ({ used: 1, all: 2 }),
    lateness: () => ({ windowSeconds: 3_600, p50Ms: null, p99Ms: null, maxMs: null }),
    findings: () =>
      isFailing ? [found('upkeep-fails', { loops: ['prune', 'renew'], reason: '', count: 2 })] : [],
    isHealthy: () => !isFailing,
    limitBytes: 1_024,
    stored: async () => figures,
    version: '1.2.3',
  });
  metrics.runsRescued(3);
  metrics.alertAttempted('failed');
  metrics.resultAttempted('failed');
  metrics.resultsDropped(6);
  metrics.clockStepped();
  metrics.removedEarly({ results: 5, pings: 7 });
  const text = await metrics.text();
  for (const line of [
    'jobd_runs_ended_total{status="interrupted"} 3',
    'jobd_alert_attempts_total{result="failed"} 1',
    'jobd_clock_steps_total 1',
    'jobd_healthy 0',
    'jobd_finding{code="upkeep-fails"} 2',
    'jobd_removed_early_total{what="results"} 5',
    'jobd_removed_early_total{what="pings"} 7',
    'jobd_database_limit_bytes 1024',
    'jobd_jobs_due 3',
    'jobd_receipts_unsigned 2',
    'jobd_reports_waiting 4',
    'jobd_results_waiting 5',
    'jobd_result_attempts_total{result="failed"} 1',
    'jobd_results_dropped_total 6',
    'jobd_database_bytes 4096',
  ]) {
    assert.ok(text.split('\n').includes(line), line);
  }
  assert.doesNotMatch(text, /^jobd_disk_free_bytes /m);
  figures = null;
  isFailing = false;
  const without = await metrics.text();
  assert.match(without, /^jobd_healthy 1$/m);
  assert.match(without, /^jobd_finding\{code="upkeep-fails"\} 0$/m);
  assert.doesNotMatch(without, /^jobd_(jobs_due|receipts_unsigned|database_bytes) /m);
});

test('lateness needs a key, and does not exist without --metrics', async (t) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { ask, newKey } = await startTestDaemon(t, { log });
  assert.equal((await ask('GET', '/lateness', undefined, null)).status, 401);
  assert.equal((await ask('GET', '/lateness', undefined, await newKey('read'))).status, 200);
  assert.ok(!lines.some((line) => line.includes('metrics')));
});

test('an address that is in use or invalid is refused at the start', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await assert.rejects(startTestDaemon(t, { flags: { metrics: `127.0.0.1:${port}` } }), {
    message: `127.0.0.1:${port} is taken by another program: choose another with --metrics, or stop it`,
  });
  const flags = { metrics: '9464' };
  await assert.rejects(startTestDaemon(t, { flags }), /must be HOST:PORT, such as/);
  for (const metrics of ['here', '127.0.0.1:', '127.0.0.1:70000', 'http://127.0.0.1:1']) {
    await assert.rejects(startTestDaemon(t, { flags: { metrics } }), /--metrics .* must be /);
  }
});
