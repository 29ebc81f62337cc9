/** The alert rules and the dashboard in contrib/ ask for metrics that jobd has (docs/monitoring.md). */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { parse } from 'yaml';
import { servedCodes } from '../src/domain/findings.ts';
import { anchorsOf } from './support/checks/anchors.ts';
import { assertAnswerable, samplesIn, type Samples } from './support/checks/promql.ts';
import { temporaryDirectory } from './support/directory.ts';
import { startTestDaemon } from './support/running/daemon.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const page = 'docs/monitoring.md';

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
}

interface Dashboard {
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
  panels: Panel[];
}

interface Panel {
  id: number;
  title: string;
  type: string;
  datasource: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat: string; datasource: { uid: string } }[];
}

const { groups } = parse(read('contrib/prometheus/jobd.rules.yml')) as {
  groups: { rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('contrib/grafana/jobd.json')) as Dashboard;

/** The metrics of a jobd that has just started, as text. */
async function metricsOf(t: TestContext): Promise<string> {
  const lines: { msg: string; url?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const flags = { metrics: '127.0.0.1:0', backupTo: temporaryDirectory(t) };
  await startTestDaemon(t, { log, flags });
  const served = lines.find(({ msg }) => msg === 'metrics are served');
  return await (await fetch(served?.url ?? '')).text();
}

/** Labels named in a template such as `{{status}}` or `{{ $labels.status }}`. */
function labelsNamedIn(template: string): string[] {
  const named = template.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g);
  return Array.from(named, ([, label = '']) => label);
}

test('each alert rule asks for metrics, labels and values that jobd has, and says what to do', async (t) => {
  const samples = samplesIn(await metricsOf(t));
  const anchors = anchorsOf(read(page));
  assert.ok(rules.length > 0);
  for (const { alert, expr, labels, annotations } of rules) {
    const known = assertAnswerable(expr, samples);
    const { summary, description, runbook } = annotations;
    for (const label of labelsNamedIn(summary + description)) {
      assert.ok(known.includes(label), `${alert} names the label ${label}`);
    }
    assert.ok(['critical', 'warning'].includes(labels.severity), alert);
    assert.equal(runbook, `${page}#${alert.toLowerCase()}`);
    assert.ok(anchors.has(alert.toLowerCase()), `${page} has nothing about ${alert}`);
  }
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
});

test('the dashboard asks for metrics, labels and values that jobd has, of the chosen source', async (t) => {
  const samples = samplesIn(await metricsOf(t));
  for (const { title, datasource, targets } of dashboard.panels) {
    assert.equal(datasource.uid, '${datasource}', title);
    for (const { expr, legendFormat, datasource: source } of targets) {
      assert.equal(source.uid, '${datasource}', title);
      assert.match(expr, /\{instance=~"\$instance"/, title);
      const known = assertAnswerable(filled(expr), samples);
      for (const label of labelsNamedIn(legendFormat)) {
        assert.ok(known.includes(label), `${title} names the label ${label}`);
      }
    }
  }
  for (const variable of dashboard.templating.list) {
    if (variable.type !== 'query' || typeof variable.query === 'string') continue;
    const asked = /^label_values\((\w+), (\w+)\)$/.exec(variable.query.query);
    const known = assertAnswerable(asked?.[1] ?? '', samples);
    assert.ok(known.includes(asked?.[2] ?? ''), variable.name);
  }
});

/** An expression with values in the place of Grafana's variables. */
function filled(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '24h');
}

test('no panel of the dashboard lies on another, and all are of kinds that Grafana has itself', () => {
  const taken = new Set<string>();
  for (const { title, type, gridPos } of dashboard.panels) {
    assert.ok(['stat', 'timeseries'].includes(type), title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), title);
        taken.add(`${x} ${y}`);
      }
    }
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
});

test('a query with an error, or for what is not there, is found', () => {
  const samples: Samples = samplesIn('a_total{status="failed"} 1\nb 2\n');
  assertAnswerable('sum by (status) (rate(a_total{status=~"failed|x"}[5m])) > 0', samples);
  for (const [query, words] of [
    ['sum(b', /syntax error/],
    ['rate(c[5m])', /no metric c/],
    ['b and on (job) d', /no metric d/],
    ['a_total{status="lost"}', /no sample has status="lost"/],
    ['b{status="failed"}', /no sample has status/],
    ['sum by (kind) (b)', /no label kind/],
    ['1 + 1', /asks for nothing/],
  ] as const) {
    assert.throws(() => assertAnswerable(query, samples), words, query);
  }
});

test('the page about monitoring has each metric of jobd, and each finding', async (t) => {
  const text = read(page);
  for (const [, name = ''] of (await metricsOf(t)).matchAll(/^# TYPE (jobd_\w+) /gm)) {
    assert.match(text, new RegExp(`\`${name}[\`{]`), name);
  }
  for (const code of servedCodes) assert.ok(text.includes(`\`${code}\``), code);
});

/** The help of a command. */
function help(...words: string[]): string {
  const main = join(import.meta.dirname, '..', 'src', 'main.ts');
  return execFileSync(process.execPath, [main, ...words, '--help'], { encoding: 'utf8' });
}

test('formula and Dockerfile use files that a release has, and commands and options that jobd has', async () => {
  const packages: {
    formula(template: string, values: Record<string, string>): string;
  } = await import(join(import.meta.dirname, '..', 'packaging', 'packages.mjs'));
  const [x64, arm64] = ['a'.repeat(64), 'b'.repeat(64)];
  const formula = packages.formula(read('contrib/homebrew/jobd.rb'), {
    version: '1.2.3',
    x64,
    arm64,
  });
  assert.match(formula, /^ {2}version "1\.2\.3"$/m);
  assert.doesNotMatch(formula, /VERSION|SHA256_/);
  assert.deepEqual(
    Array.from(formula.matchAll(/\/1\.2\.3\/(\S+)"\n {4}sha256 "(\w+)"/g), ([, ...found]) => found),
    [
      ['jobd-linux-x64.gz', x64],
      ['jobd-linux-arm64.gz', arm64],
    ],
  );
  const dockerfile = read('contrib/Dockerfile');
  const install = read('docs/install.md');
  for (const file of ['jobd-linux-x64', 'SHA256SUMS', 'THIRD_PARTY_LICENSES']) {
    assert.ok(dockerfile.includes(file) && install.includes(`| \`${file}\``), file);
  }
  const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  assert.doesNotMatch(final, /^RUN /m, 'there is no shell');
  assert.match(final, /^USER 65532:65532$/m);
  const [, entry] = /^ENTRYPOINT (.*)$/m.exec(final) ?? [];
  assert.deepEqual(JSON.parse(entry ?? ''), ['/usr/local/bin/jobd']);
  const [, check] = /^HEALTHCHECK .* CMD (.*)$/m.exec(final) ?? [];
  const [program, command, option] = JSON.parse(check ?? '') as string[];
  assert.equal(program, '/usr/local/bin/jobd');
  assert.match(help(command ?? ''), new RegExp(`^ +${option} `, 'm'));
  for (const [, name = ''] of final.matchAll(/(JOBD_\w+)=/g)) {
    assert.ok(read('docs/command-line.md').includes(`\`${name}\``), name);
  }
  assert.match(formula, /run \[opt_bin\/"jobd", "serve", "--data", /);
  assert.match(help('serve'), /^ +--data /m);
});
