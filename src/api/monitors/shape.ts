import type { Permission } from '../../domain/accounts/key.ts';
import { isoTime } from '../../domain/clock.ts';
import { monitorDocument } from '../../domain/monitors/document.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Ping } from '../../domain/monitors/ping.ts';
import type * as contract from './contract.ts';

/** A monitor at `now`; its ping URL is below `siteUrl`. A read-only key does not get it: a ping changes the monitor. */
export function monitorShape(
  monitor: Monitor,
  { siteUrl, permission, now }: { siteUrl: string; permission: Permission; now: number },
): contract.Monitor {
  const pingUrl = permission === 'write' ? `${siteUrl}/ping/${monitor.pingId}` : null;
  return { ...monitorDocument(monitor, now), pingUrl };
}

/** A ping. */
export function pingShape(ping: Ping): contract.Ping {
  const { monitorId: _, number: __, method: source, receivedAt, ...shown } = ping;
  return { ...shown, receivedAt: isoTime(receivedAt), source };
}
