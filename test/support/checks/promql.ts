/** PromQL, and whether what it asks for is in the metrics of a process. */

import assert from 'node:assert/strict';
import { parser } from '@prometheus-io/lezer-promql';

/** What one selector asks for. */
interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** A sample of a metric: its labels. */
type Sample = Readonly<Record<string, string>>;

/** Samples by the name of their metric. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** Labels that Prometheus adds to each sample, and the metric that it adds itself. */
const addedLabels = ['job', 'instance'];
const addedMetrics = new Set(['up']);

/** Reads metrics in the text format. */
export function samplesIn(text: string): Samples {
  const samples = new Map<string, Sample[]>();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const pairs = Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label, value]) => [
      label,
      value,
    ]);
    samples.set(name, [...(samples.get(name) ?? []), Object.fromEntries(pairs) as Sample]);
  }
  return samples;
}

/** Asserts that a query has no syntax error and asks only for what is there. Returns the labels that its result may have. */
export function assertAnswerable(query: string, samples: Samples): string[] {
  const { selectors, groupings } = parse(query);
  const labels = new Set(addedLabels);
  for (const { metric, matchers } of selectors) {
    if (addedMetrics.has(metric)) continue;
    const found = samples.get(metric) ?? assert.fail(`${query}: there is no metric ${metric}`);
    for (const label of found.flatMap(Object.keys)) labels.add(label);
    for (const matcher of matchers) assertMatches(matcher, found, query);
  }
  for (const label of groupings) assert.ok(labels.has(label), `${query}: no label ${label}`);
  return [...labels];
}

function assertMatches(
  { label, operator, value }: Selector['matchers'][number],
  samples: readonly Sample[],
  query: string,
): void {
  if (addedLabels.includes(label)) return;
  const isMeant =
    operator === '=~'
      ? (text: string) => new RegExp(`^(?:${value})$`).test(text)
      : (text: string) => text === value;
  assert.ok(
    samples.some((sample) => label in sample && isMeant(sample[label] ?? '')),
    `${query}: no sample has ${label}${operator}"${value}"`,
  );
}

function parse(query: string): { selectors: Selector[]; groupings: string[] } {
  const selectors: Selector[] = [];
  const groupings: string[] = [];
  parser.parse(query).iterate({
    enter({ node, type, from, to }) {
      const text = query.slice(from, to);
      if (type.isError) assert.fail(`${query}: syntax error at ${from}`);
      if (type.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      const last = selectors.at(-1);
      if (type.name === 'Identifier' && last !== undefined) last.metric = text;
      const [name, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((part) => {
        const child = node.getChild(part);
        return child === null ? '' : query.slice(child.from, child.to);
      });
      if (type.name === 'UnquotedLabelMatcher')
        last?.matchers.push({
          label: name ?? '',
          operator: operator ?? '',
          value: (value ?? '').slice(1, -1),
        });
      if (type.name === 'GroupingLabels')
        groupings.push(
          ...node.getChildren('LabelName').map((child) => query.slice(child.from, child.to)),
        );
    },
  });
  assert.ok(selectors.length > 0, `${query}: asks for nothing`);
  return { selectors, groupings };
}
