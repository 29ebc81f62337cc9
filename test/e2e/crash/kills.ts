/** The kinds of kills, each at its own point. */

import { setTimeout } from 'node:timers/promises';
import { readRunning } from '../../support/checks/audit.ts';
import type { Process } from '../../support/running/executable.ts';
import { withFault } from '../../support/running/strace.ts';
import type { Witness } from '../../support/fakes/witness.ts';
import type { Promises } from './customer.ts';

/** The events a kill can wait for. */
export interface Scene {
  daemon: Process;
  dataDir: string;
  witness: Witness;
  random: () => number;
  promises: Promises;
  /** Runs that an earlier process left running. */
  leftRunning: ReadonlySet<string>;
}

export interface Kill {
  /** Other allowed statuses of the API, as long as the request has no effect. */
  mayAnswer?: number;
  /** Whether the daemon may end by itself, if its store fails at the start. */
  mayEnd?: boolean;
  /** The wrapper command of the executable. */
  wrapper(random: () => number): string[];
  /** Resolves when the process is being killed, or never if the wrapper does that. */
  strike(scene: Scene): Promise<void>;
}

const alone = (): string[] => [];
const upTo = (random: () => number, bound: number): number => 1 + Math.floor(random() * bound);

/** At a random moment, the start included; one in four while it is stopping. */
export const atAnyMoment: Kill = {
  wrapper: alone,
  async strike({ daemon, random }) {
    await setTimeout(random() * 1_500);
    if (random() < 0.25) {
      process.kill(daemon.pid, 'SIGTERM');
      await setTimeout(random() * 300);
    }
    await daemon.stop('SIGKILL');
  },
};

/** As soon as another process can see a claimed run. */
export const whenClaimed: Kill = {
  wrapper: alone,
  async strike({ daemon, dataDir, leftRunning }) {
    await daemon.listening;
    using running = readRunning(dataDir);
    for (let poll = 0; poll < 100_000; poll += 1) {
      if (running.ids().some((id) => !leftRunning.has(id))) break;
      await setTimeout(poll % 20 === 0 ? 1 : 0);
    }
    await daemon.stop('SIGKILL');
  },
};

/** As soon as a customer knows the id of a run by hand. */
export const whenPromised: Kill = {
  wrapper: alone,
  strike({ daemon, promises }) {
    const { promise, resolve } = Promise.withResolvers<void>();
    promises.onRun = () => void daemon.stop('SIGKILL').then(() => resolve());
    return promise;
  },
};

/** When a request has arrived at the target, one in two after its answer. */
export const whenSent: Kill = {
  wrapper: alone,
  strike({ daemon, witness, random }) {
    let left = upTo(random, 12);
    const { promise, resolve } = Promise.withResolvers<void>();
    const count = (): void => {
      left -= 1;
      if (left === 0) void daemon.stop('SIGKILL').then(() => resolve());
    };
    if (random() < 0.5) witness.onArrival = count;
    else witness.onAnswer = count;
    return promise;
  },
};

/** After the claim and before the first byte leaves: at a connect. */
export const whenConnecting: Kill = {
  wrapper: (random) => withFault(`connect:signal=SIGKILL:when=${upTo(random, 12)}`),
  strike: () => new Promise(() => {}),
};

/** In the middle of the writes, syncs or checkpoints of a transaction. */
export const whenWriting: Kill = {
  wrapper: (random) =>
    random() < 0.5
      ? withFault(`pwrite64:signal=SIGKILL:when=${upTo(random, 400)}`)
      : withFault(`fsync,fdatasync:signal=SIGKILL:when=${upTo(random, 60)}`),
  strike: () => new Promise(() => {}),
};

/**
 * At a random moment, while every third sync fails: an uncertain commit may be on the disk or not.
 */
export const inDoubt: Kill = {
  wrapper: (random) => withFault(`fsync,fdatasync:error=EIO:when=${upTo(random, 30)}+3`),
  mayAnswer: 503,
  mayEnd: true,
  strike: (scene) => atAnyMoment.strike(scene),
};
