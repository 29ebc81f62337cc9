/** What this process is among those that serve its database: the only one, or a node, which gets hints of the others. */

import { hostname } from 'node:os';
import { createEvents } from '../app/events.ts';
import { notGiven } from '../app/operator/nodes.ts';
import { hearOtherNodes, type OtherNodes } from '../app/other-nodes.ts';
import type { Log } from '../base/log.ts';
import { systemClock } from '../domain/clock.ts';
import { zoneDataVersion } from '../domain/schedule/zone-data.ts';
import type { OpenFiles } from '../domain/targets/open-files.ts';
import { startLoop } from '../engine/loop.ts';
import { joinNodes } from '../engine/nodes/join.ts';
import { alone, type Membership } from '../engine/nodes/membership.ts';
import type { Meters } from '../metrics/meter.ts';
import type { ServeConfig } from '../settings/config.ts';
import { commonSettings } from '../settings/serve-settings.ts';
import { version } from '../version.ts';
import type { EngineToCome } from './engine-to-come.ts';
import type { Data } from './open.ts';

/** The most event streams; of few connections, at most an eighth. */
const mostStreams = 256;

export interface OwnNodeParts {
  config: Pick<ServeConfig, 'baseUrl' | 'signing' | 'traceContext' | 'allowTargets' | 'database'>;
  log: Log;
  engine: EngineToCome;
  meter: Meters;
  files: OpenFiles;
}

/** Its membership, and how it and the others hear of changes. */
export interface OwnNode extends Pick<OtherNodes, 'events' | 'wakeOthers'> {
  membership: Membership;
}

/** Takes part: from now on this process may begin calls. On a server it joins the nodes until `parts` are disposed of. */
export async function takePart(
  data: Data,
  own: OwnNodeParts,
  parts: AsyncDisposableStack,
): Promise<OwnNode> {
  const { log, engine, meter, files } = own;
  const { store, clock } = data;
  const membership = await join(data, own, parts);
  const nodes = hearOtherNodes({
    hints: store.hints,
    clock: systemClock,
    streams: createEvents({
      clock,
      version,
      mostStreams: Math.min(mostStreams, Math.floor(files.connections / 8)),
    }),
    wake: engine.wake,
    hasOthers: () => membership.hasOthers(),
    onTrouble: (trouble) => logHints(log, trouble),
  });
  if (own.config.database !== null) {
    parts.use(startLoop('hints', nodes.look, { log, clock: systemClock }));
    meter.addNode(() => ({ ...membership.status(), isHearing: nodes.isHearing() }));
  }
  const { events, wakeOthers } = parts.use(nodes);
  return { membership, events, wakeOthers };
}

async function join(
  { local, store, clock: own, servedUntil }: Data,
  { config, log, engine, meter, files }: OwnNodeParts,
  parts: AsyncDisposableStack,
): Promise<Membership> {
  const { databaseClock: clock } = local;
  if (clock === null) return alone(own, servedUntil);
  const node = {
    host: hostname(),
    pid: process.pid,
    version,
    slots: files.slots,
    // What all nodes of a database should have in common. Time-zone data may change meanwhile.
    get settings() {
      return { version, 'time-zone data': zoneDataVersion(), ...commonSettings(config, notGiven) };
    },
    masterKeys: local.masterKeyIds(),
  };
  const stats = () => ({ calls: engine.slotsUsed(), lateness: meter.latenessCounts() });
  const joining = { store, machine: systemClock, clock, log, meter, node, stats };
  return parts.use(await joinNodes(joining));
}

function logHints(log: Log, trouble: string | null): void {
  if (trouble === null) log.info('hints of other nodes arrive again');
  else
    log.warn({ error: trouble }, 'hints of other nodes do not arrive: pages ask again every 3 s');
}
