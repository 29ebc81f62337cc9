/** A writer of runs without an engine. */

import { pino } from 'pino';
import type { Clock } from '../../../src/domain/clock.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { createBacklog, type Backlog } from '../../../src/engine/runs/backlog.ts';
import type { Claim } from '../../../src/engine/runs/claim.ts';
import { createSlots } from '../../../src/engine/runs/slots.ts';
import { createWriter, type Writer } from '../../../src/engine/runs/writer.ts';
import type { Store } from '../../../src/store/database/store.ts';

export interface TestWriter extends Writer {
  backlog: Backlog;
  /** Claims due runs, and records nothing. */
  readonly claim: () => Promise<Claim>;
}

/** Makes a writer with this many free slots, in total and for each host. */
export function testWriter(store: Store, clock: Clock, freeSlots = 100): TestWriter {
  const slots = createSlots(freeSlots, freeSlots);
  const backlog = createBacklog(new AbortController().signal);
  const parts = {
    store,
    clock,
    log: pino({ enabled: false }),
    membership: alone(clock),
    slots,
    backlog,
    heldJobs: () => [],
    receipts: false,
    hindrances: () => [],
  };
  const writer = createWriter(parts);
  const claim = async (): Promise<Claim> => {
    const { claim: claimed } = await writer.write({ records: false, claims: 'all' });
    if (claimed === null) throw new Error('nothing may be claimed');
    return claimed;
  };
  return { ...writer, backlog, claim };
}
