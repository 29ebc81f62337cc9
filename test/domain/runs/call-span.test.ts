/** What a span says, and which variables of OpenTelemetry are followed (docs/monitoring.md#spans). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportRequest, isSampled, type CallSpan } from '../../../src/domain/runs/call-span.ts';
import { spanSettings } from '../../../src/domain/runs/call-span-settings.ts';

const span: CallSpan = {
  traceId: '0199a0b1c2d37456889900aabbccddee',
  spanId: '00f067aa0ba902b7',
  runId: '0199a0b1-c2d3-7456-8899-00aabbccddee',
  jobId: 'the id',
  job: 'backup',
  dueAt: 1_772_416_800_000,
  attempt: 2,
  method: 'POST',
  url: 'https://ann:pass-word@example.com/a%20b?token=query-secret&bare-secret#fragment',
  startedAt: 1_772_416_801_123,
  durationMs: 2_104.4,
  result: { kind: 'failure', failure: { reason: 'timeout', detail: 'no answer' } },
};

function spanIn(text: string) {
  return JSON.parse(text).resourceSpans[0].scopeSpans[0].spans[0];
}

function attributesIn(list: { key: string; value: object }[]): Record<string, object> {
  return Object.fromEntries(list.map(({ key, value }) => [key, value]));
}

test('a span has the names of OTLP and of the conventions for HTTP, and no secret', () => {
  const text = exportRequest([span], { 'service.name': 'jobd' }, '1.2.3');
  assert.doesNotMatch(text, /ann|pass-word|secret|fragment|no answer/);
  const [{ resource, scopeSpans }] = JSON.parse(text).resourceSpans;
  assert.deepEqual(resource.attributes, [{ key: 'service.name', value: { stringValue: 'jobd' } }]);
  assert.deepEqual(scopeSpans[0].scope, { name: 'jobd', version: '1.2.3' });
  const { attributes, ...fields } = spanIn(text);
  assert.deepEqual(fields, {
    traceId: span.traceId,
    spanId: span.spanId,
    name: 'POST',
    kind: 3,
    startTimeUnixNano: '1772416801123000000',
    endTimeUnixNano: '1772416803227000000',
    status: { code: 2 },
  });
  assert.deepEqual(attributesIn(attributes), {
    'http.request.method': { stringValue: 'POST' },
    'server.address': { stringValue: 'example.com' },
    'server.port': { intValue: '443' },
    'url.full': { stringValue: 'https://example.com/a%20b?token=REDACTED&REDACTED' },
    'http.request.resend_count': { intValue: '1' },
    'error.type': { stringValue: 'timeout' },
    'jobd.run.id': { stringValue: span.runId },
    'jobd.run.scheduled_for': { stringValue: '2026-03-02T02:00:00.000Z' },
    'jobd.job.id': { stringValue: 'the id' },
    'jobd.job.name': { stringValue: 'backup' },
  });
});

test('a status that is no success is an error of the span, as of the run', () => {
  const rows: [status: number, error: string | undefined][] = [
    [200, undefined],
    [204, undefined],
    [302, '302'],
    [404, '404'],
    [503, '503'],
  ];
  for (const [httpStatus, error] of rows) {
    const response = { httpStatus, location: null, retryAfter: null, body: 'body' };
    const result = {
      kind: 'response' as const,
      response: { ...response, truncated: false, broken: null },
    };
    const sent = spanIn(exportRequest([{ ...span, attempt: 1, result }], {}, '1'));
    const found = attributesIn(sent.attributes);
    assert.deepEqual(found['http.response.status_code'], { intValue: String(httpStatus) });
    assert.deepEqual(found['error.type'], error && { stringValue: error });
    assert.deepEqual(sent.status, error === undefined ? {} : { code: 2 });
  }
  const stopped = spanIn(exportRequest([{ ...span, result: null }], {}, '1'));
  assert.deepEqual(attributesIn(stopped.attributes)['error.type'], { stringValue: 'interrupted' });
});

test('a share of traces is chosen by their random bits', () => {
  const ids = Array.from({ length: 1_000 }, () => crypto.randomUUID().replaceAll('-', ''));
  const share = (ratio: number) => ids.filter((id) => isSampled(id, ratio)).length;
  assert.deepEqual([share(0), share(1)], [0, 1_000]);
  assert.ok(share(0.25) > 150 && share(0.25) < 350, String(share(0.25)));
  assert.ok(ids.every((id) => !isSampled(id, 0.25) || isSampled(id, 0.5)));
});

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' };

test('spans are sent where the variables of OpenTelemetry say, if they say so', () => {
  const off = [
    {},
    { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_SERVICE_NAME: 'x' },
  ];
  for (const env of off) assert.equal(spanSettings(env), null);
  assert.deepEqual(spanSettings(endpoint), {
    url: 'http://collector:4318/base/v1/traces',
    headers: {},
    resource: { 'service.name': 'jobd' },
    ratio: 1,
  });
  assert.deepEqual(
    spanSettings({
      ...endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/path?x',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20eDp5PQ==, x-scope = a',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=a%2Cb',
      OTEL_SERVICE_NAME: 'cron',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }),
    {
      url: 'https://other/path?x',
      headers: { authorization: 'Basic eDp5PQ==', 'x-scope': 'a' },
      resource: { 'service.name': 'cron', 'deployment.environment.name': 'a,b' },
      ratio: 0.25,
    },
  );
  const local = spanSettings({ OTEL_TRACES_EXPORTER: 'otlp' });
  assert.ok(local !== null && 'url' in local && local.url === 'http://localhost:4318/v1/traces');
});

test('a variable that cannot be followed is named, without its value', () => {
  const rows: [env: Record<string, string>, problem: RegExp][] = [
    [{ OTEL_TRACES_EXPORTER: 'zip-secret' }, /^OTEL_TRACES_EXPORTER must be otlp or none$/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'secret:4317' },
      /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/,
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a:secret@b' }, /without a user name$/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /jobd does not speak gRPC$/],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
      /^OTEL_EXPORTER_OTLP_HEADERS must be like/,
    ],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'a=secret%0d%0ab: c' },
      /that HTTP does not allow$/,
    ],
    [
      { ...endpoint, OTEL_RESOURCE_ATTRIBUTES: 'a=%secret' },
      /^OTEL_RESOURCE_ATTRIBUTES must be like/,
    ],
    [{ ...endpoint, OTEL_TRACES_SAMPLER: 'secret' }, /^OTEL_TRACES_SAMPLER must be/],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1$/,
    ],
  ];
  for (const [env, problem] of rows) {
    const settings = spanSettings(env);
    assert.ok(settings !== null && 'problem' in settings, JSON.stringify(env));
    assert.match(settings.problem, problem);
    assert.doesNotMatch(settings.problem, /secret/);
  }
});
