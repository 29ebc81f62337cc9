import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFindings, type NodeInRole } from '../../../src/app/operator/nodes.ts';

const now = Date.parse('2026-03-02T10:00:00Z');

function node(host: string, changes: Partial<NodeInRole> = {}): NodeInRole {
  const place = { id: host, host, pid: 1, version: '1', slots: 1, settings: {}, masterKeys: [] };
  const lease = { startedAt: now, expiresAt: now + 12_000, renewals: 1, endedAt: null };
  const state = { clockLeadMs: 0, calls: 0, isDraining: false, endReason: null };
  return { ...place, ...lease, ...state, role: 'serving', ...changes };
}

/** What is said of nodes, and of which one. */
function said(...nodes: NodeInRole[]): string[] {
  return nodeFindings(nodes, now).map(({ detail, notes }) => [detail, ...notes].join(' | '));
}

/** Nodes on machines of their own whose clocks are ahead by so much. */
function withClocks(...leads: number[]): string[] {
  return said(...leads.map((clockLeadMs, index) => node(`m${index}`, { clockLeadMs })));
}

test('a setting that differs is said with who has which, and not of a node that drains', () => {
  const [one, other] = ['1', '2'].map((version) => node(`m${version}`, { settings: { version } }));
  assert.ok(one && other);
  assert.deepEqual(said(one, other), [
    'nodes differ in version: give all of them the same | 1 (process 1 on m1) | 2 (process 1 on m2)',
  ]);
  assert.deepEqual(said(one, { ...other, role: 'draining' }), []);
});

test('a clock is wrong that differs from the others', () => {
  assert.deepEqual(withClocks(0, 1_999, -1_999), []);
  assert.deepEqual(withClocks(0, 600_000), [
    'the clock of a node is 600 s ahead: set it | process 1 on m1',
  ]);
});

test('where the nodes agree with each other, it is that of the server', () => {
  assert.deepEqual(withClocks(600_000, 600_900, 599_500), [
    'the clock of the server of the database is 600 s behind, compared with all 3 nodes, and due times go by it: set it',
  ]);
  assert.match(withClocks(-30_000, -30_000).join(), /^the clock of the server .* 30 s ahead, /);
});

test('where nobody can tell which one is wrong, nobody is blamed', () => {
  const either =
    /compared with that of the database, which due times go by: set one of them \| process/;
  assert.match(withClocks(600_000).join(), either);
  const oneMachine = [1, 2].map((pid) => node('m', { pid, clockLeadMs: 600_000 }));
  for (const sentence of said(...oneMachine)) assert.match(sentence, either);
  for (const sentence of withClocks(600_000, 10_000)) assert.match(sentence, either);
});

test('a lease that would last longer than any is said', () => {
  assert.deepEqual(said(node('a'), node('b', { expiresAt: now - 1 })), []);
  assert.match(
    said(node('a', { expiresAt: now + 600_000 })).join(),
    /^a lease would end in 600 s, and none lasts longer than 15 s: .* \| process 1 on a$/,
  );
});

/** In minutes after 9:00. Those that have an end were declared gone after it. */
type Life = [host: string, pid: number, from: number, until?: number];

function at(minutes: number): number {
  return now - 3_600_000 + minutes * 60_000;
}

/** What is said of nodes, in the order of their starts. */
function goneOf(...lives: Life[]): string[] {
  const nodes = lives.map(([host, pid, from, until]) => {
    const started = { pid, startedAt: at(from) };
    if (until === undefined) return node(host, started);
    const ended = { endedAt: at(until) + 20_000, expiresAt: at(until) + 15_000 };
    return node(host, { ...started, ...ended, endReason: 'silent', role: 'gone' });
  });
  return said(...nodes);
}

test('a node that is gone is said until another one starts on its host', () => {
  const [sentence = ''] = goneOf(['a', 7, 0, 10], ['b', 8, 1]);
  const beginning = 'a node gave no sign of life after 2026-03-02T09:10:00.000Z, ';
  assert.ok(sentence.startsWith(beginning) && sentence.endsWith(' | process 7 on a'), sentence);
  assert.deepEqual(goneOf(['a', 7, 0, 10], ['b', 8, 12]), [sentence], 'on another host');
  assert.deepEqual(goneOf(['a', 7, 0, 10], ['a', 8, 1]), [sentence], 'it served beside it');
  assert.deepEqual(goneOf(['a', 7, 0, 10], ['a', 8, 11]), []);
  const stopped = { endedAt: now, endReason: 'stopped', role: 'stopped' } as const;
  assert.deepEqual(said(node('a', stopped), node('b')), []);
});

function pids(...lives: Life[]): unknown[] {
  return goneOf(...lives).map((sentence) => /process (\d+)/.exec(sentence)?.[1]);
}

test('of several nodes on a host, each start takes the place of one that is gone', () => {
  assert.deepEqual(pids(['a', 1, 0, 10], ['a', 2, 1, 10], ['b', 3, 2]), ['1', '2']);
  assert.deepEqual(pids(['a', 1, 0, 10], ['a', 2, 1, 10], ['a', 3, 11]), ['2']);
  assert.deepEqual(pids(['a', 1, 0, 10], ['a', 2, 1, 10], ['a', 3, 11], ['a', 4, 12]), []);
  assert.deepEqual(pids(['a', 1, 0, 10], ['a', 2, 11, 12], ['b', 3, 13]), ['2'], 'it died too');
});
