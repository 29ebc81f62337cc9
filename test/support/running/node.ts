/** A node without HTTP: a process that serves a database on a server with others, with its engine and its streams. */

import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { App } from '../../../src/app/app.ts';
import { createEvents, type StreamEvent } from '../../../src/app/events.ts';
import { hearOtherNodes } from '../../../src/app/other-nodes.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import type { WokenLoop } from '../../../src/domain/hints.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { startEngine, type Engine } from '../../../src/engine/engine.ts';
import { startLoop } from '../../../src/engine/loop.ts';
import { until } from '../until.ts';
import { quietApp } from './app.ts';
import { enginePartsFor } from './engine.ts';
import { loopback, openTestStore, type TestStore } from './store.ts';

export interface TestNode extends TestStore {
  app: App;
  engine: Engine;
  /** Loops that the others woke. */
  woken: WokenLoop[];
  /** What it said of hints. */
  troubles: (string | null)[];
  /** Opens a stream; returns what it sends. */
  readonly listen: () => StreamEvent[];
}

interface NodeSettings {
  slots?: number;
  hasOthers?: boolean;
}

/** Starts it; it stops with the test. Resolves once it listens. */
export async function startTestNode(
  t: TestContext,
  url: string,
  { slots = 10, hasOthers = true }: NodeSettings = {},
): Promise<TestNode> {
  const parts = new AsyncDisposableStack();
  t.after(() => parts.disposeAsync());
  const testStore = await openTestStore(t, url);
  const { store, workspaceId } = testStore;
  const clock = systemClock;
  const log = pino({ level: 'silent' });
  const woken: WokenLoop[] = [];
  const troubles: (string | null)[] = [];
  const streams = createEvents({ clock, version: '1.2.3', mostStreams: 256 });
  const nodes = hearOtherNodes({
    hints: store.hints,
    clock,
    streams,
    wake(loop) {
      woken.push(loop);
      engine.wake(loop);
    },
    hasOthers: () => hasOthers,
    onTrouble: (trouble) => void troubles.push(trouble),
  });
  const egress = parts.use(
    createEgress({ allowTargets: loopback, connectionsPerHost: 10, userAgent: 'jobd/test' }),
  );
  const { events, wakeOthers } = nodes;
  const engine = parts.use(
    startEngine({
      ...enginePartsFor({ store, egress, clock, log }),
      slots,
      slotsPerHost: slots,
      changes: events,
      wakeOthers,
    }),
  );
  parts.use(startLoop('hints', nodes.look, { log, clock: systemClock }));
  parts.use(nodes);
  const app = quietApp({
    store,
    clock,
    events,
    allowTargets: loopback,
    wake(loop) {
      engine.wake(loop);
      wakeOthers(loop);
    },
    onChanged: (entries) => events.audited(entries),
  });
  await until('a node that listens', () => woken.length > 0);
  woken.length = 0;
  return {
    ...testStore,
    app,
    engine,
    woken,
    troubles,
    listen() {
      const heard: StreamEvent[] = [];
      const actor = { type: 'key', id: newId(0), name: '' } as const;
      events.open({ actor, keyId: null, workspaceId }, (event) => void heard.push(event));
      return heard;
    },
  };
}
