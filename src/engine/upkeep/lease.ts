/**
 * The right to serve a database on a server: one process at a time. A file has a lock for that (`store/sqlite/lock.ts`), which
 * the system releases; here it is a lease, which ends by itself when its process does.
 */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../../store/database/store.ts';
import { addNodeIfAlone, removeNode, renewNode } from '../../store/nodes/nodes.ts';
import type { LiveNode, Node } from '../../store/nodes/nodes.ts';
import { startLoop } from '../loop.ts';

const leaseMs = 15_000;
const renewEveryMs = 3_000;
/** How often a start looks whether the lease of another process has ended, or was renewed. */
const lookEveryMs = 500;

export interface LeaseParts {
  store: Store;
  clock: Clock;
  log: Log;
  node: Node;
}

/** A lease that is renewed until it is disposed of. */
export interface Lease extends AsyncDisposable {
  /** Resolves if another process was given the database, because this one could not renew for too long. */
  readonly lost: Promise<void>;
}

/**
 * Takes the lease. A process that died leaves one that is not renewed: then this waits until it ends. Throws `conflict` if
 * another process renews it.
 */
export async function takeLease({ store, clock, log, node }: LeaseParts): Promise<Lease> {
  let first: LiveNode | undefined;
  for (;;) {
    const other = await addNodeIfAlone(store, node, leaseMs);
    if (other === null) break;
    if (first === undefined) {
      log.warn(
        { host: other.host, pid: other.pid, until: isoTime(other.expiresAt) },
        'another jobd served this database a moment ago: waiting until its lease ends',
      );
    } else if (other.id !== first.id || other.expiresAt > first.expiresAt) throw isServed(other);
    first = other;
    await setTimeout(lookEveryMs);
  }
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  let renewAt = clock.monotonicMs() + renewEveryMs;
  const renew = async (): Promise<number> => {
    const leftMs = renewAt - clock.monotonicMs();
    if (leftMs > 0) return leftMs;
    if (!(await renewNode(store, node.id, leaseMs))) resolve();
    renewAt = clock.monotonicMs() + renewEveryMs;
    return renewEveryMs;
  };
  const loop = startLoop('lease', renew, log);
  return {
    lost,
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      // Without an answer it ends by itself.
      await removeNode(store, node.id).catch(() => {});
    },
  };
}

/** The error of a process that may not serve the database, since another one does. */
function isServed({ host, pid }: LiveNode): JobdError {
  return new JobdError(
    'conflict',
    `another jobd (process ${pid} on ${host}) already serves this database, stop it first`,
  );
}
