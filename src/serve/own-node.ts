/** What this process is among those that serve its database: the only one, or a node. */

import { hostname } from 'node:os';
import { notGiven } from '../app/operator/nodes.ts';
import type { ServeConfig } from '../settings/config.ts';
import { systemClock } from '../domain/clock.ts';
import { zoneDataVersion } from '../domain/schedule/zone-data.ts';
import { allowTargetText } from '../domain/targets/target.ts';
import { joinNodes } from '../engine/nodes/join.ts';
import type { JoinParts } from '../engine/nodes/join.ts';
import { alone } from '../engine/nodes/membership.ts';
import type { Membership } from '../engine/nodes/membership.ts';
import type { Local } from './local-store.ts';
import type { Log } from '../base/log.ts';
import { version } from '../version.ts';

export interface OwnNodeParts extends Pick<JoinParts, 'vitals' | 'meter'> {
  local: Local;
  config: ServeConfig;
  /** The most calls in flight. */
  slots: number;
  log: Log;
}

/** Takes part: from now on this process may begin calls. On a server it joins the nodes until `parts` are disposed of. */
export async function takePart(
  { local, config, slots, log, meter, vitals }: OwnNodeParts,
  parts: AsyncDisposableStack,
): Promise<Membership> {
  const { store, clock, databaseClock } = local;
  if (databaseClock === null) return alone(clock);
  const node = {
    host: hostname(),
    pid: process.pid,
    version,
    slots,
    // Time-zone data may change meanwhile.
    get settings() {
      return settingsOf(config);
    },
    masterKeys: local.masterKeyIds(),
  };
  const join = { store, machine: systemClock, clock: databaseClock, log, meter, node, vitals };
  return parts.use(await joinNodes(join));
}

/** What all nodes of a database should have in common. */
function settingsOf({ baseUrl, signing, traceContext, allowTargets }: ServeConfig) {
  return {
    version,
    'time-zone data': zoneDataVersion(),
    '--base-url': baseUrl ?? notGiven,
    '--no-signing': signing ? notGiven : 'given',
    '--trace-context': traceContext ? 'given' : notGiven,
    '--allow-target': allowTargets.map(allowTargetText).toSorted().join(' ') || notGiven,
  };
}
