/** All misbehaviours of targets with their expected results, one row each. */
import { bodies } from './bodies.ts';
import { connections, handshakes } from './connections.ts';
import { heads } from './heads.ts';
import type { HostileTarget } from './row.ts';

/** All rows. */
export const hostileTargets: readonly HostileTarget[] = [
  ...connections,
  ...heads,
  ...bodies,
  ...handshakes,
];
