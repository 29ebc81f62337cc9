/** Nodes as members of a database, without an engine: their leases, what they log, and the clocks of their machines. */

import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { ForgottenRuns } from '../../../src/engine/nodes/confirmed-runs.ts';
import { joinNodes, type NodeMembership } from '../../../src/engine/nodes/join.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { databaseClockOf } from '../../../src/store/nodes/database-clock.ts';
import { listNodes, type KnownNode } from '../../../src/store/nodes/nodes.ts';
import { openStore } from '../../../src/store/open.ts';
import { fakeClock, type FakeClock } from '../fakes/clock.ts';
import { until } from '../until.ts';

/** For how long a node begins calls after it last asked for its lease. */
const trustedMs = 13_000;

/** A line of its log. */
export type Logged = { msg: string } & Record<string, unknown>;

export interface TestNode {
  store: Store;
  membership: NodeMembership;
  /** The clocks of its machine: the wall clock is right at first. */
  machine: FakeClock;
  /** While set, it cannot write. */
  cut: { isCut: boolean };
  /** What it logged, and the messages of it. */
  readonly logged: readonly Logged[];
  /** What it counted as lost. */
  readonly losses: readonly ForgottenRuns[];
  readonly messages: () => string[];
  /** Lets it renew its lease, as if so much time had passed. */
  readonly renew: (passedMs?: number) => Promise<void>;
}

export async function startMember(t: TestContext, database: string, calls = 0): Promise<TestNode> {
  const opened = await openStore(database);
  t.after(() => opened[Symbol.asyncDispose]());
  const cut = { isCut: false };
  const store: Store = {
    ...opened,
    write: (work) => (cut.isCut ? Promise.reject(new Error('cut off')) : opened.write(work)),
  };
  const machine = fakeClock(Date.now());
  const logged: Logged[] = [];
  const losses: ForgottenRuns[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Logged);
  const membership = await joinNodes({
    store,
    machine,
    clock: await databaseClockOf(store.db, machine),
    log: pino({ level: 'debug' }, { write }),
    meter: { databaseLost: (loss) => void losses.push({ ...loss }) },
    node: { host: 'a', pid: 1, version: '0', slots: 1, settings: {}, masterKeys: [] },
    stats: () => ({ calls, lateness: new Map() }),
  });
  t.after(() => membership[Symbol.asyncDispose]());
  const renewals = async (): Promise<number> =>
    (await nodesIn(opened)).find(({ id }) => id === membership.nodeId)?.renewals ?? 0;
  return {
    store: opened,
    membership,
    machine,
    cut,
    logged,
    losses,
    messages: () => logged.map(({ msg }) => msg),
    async renew(passedMs = 3_000) {
      const before = await renewals();
      machine.advanceBoth(passedMs);
      await until('a renewal', async () => (await renewals()) > before);
      // It knows of it once it has the answer.
      await until('its answer', () => {
        const { trouble } = membership;
        return trouble !== null || membership.mayBeginForMs() === trustedMs;
      });
    },
  };
}

export async function nodesIn(store: Store): Promise<KnownNode[]> {
  return await listNodes(store.db, 0);
}

/** What it said of being the leader. */
export function saidOfLeading({ messages }: TestNode): string[] {
  return messages().filter((message) => message.startsWith('this node is the leader'));
}

/** The nodes that these have declared gone. */
export function goneIn(nodes: readonly TestNode[]): unknown[] {
  const declared = nodes.flatMap(({ logged }) => logged);
  return declared.flatMap(({ msg, nodeIds }) =>
    msg === 'nodes that do not renew their leases are gone' ? (nodeIds as unknown[]) : [],
  );
}
