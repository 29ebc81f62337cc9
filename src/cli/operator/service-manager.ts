/** What jobd tells systemd about itself (sd_notify(3)). */

import { environmentVariable } from '../../settings/config.ts';
import type { Log } from '../../base/log.ts';

/** Much more than it takes. */
const tellMs = 30_000;

/**
 * Says that jobd serves, or that it stops, with words for `systemctl status`. Until jobd serves, a service of
 * `Type=notify` is not started, and one that ends before has failed to start. Does nothing where nobody waits for it. Node has no
 * datagrams of this kind, so a program of systemd sends it.
 */
export async function tellManager(
  log: Log,
  state: 'serves' | 'stops',
  status: string,
): Promise<void> {
  // The socket on which systemd waits.
  if (!environmentVariable('NOTIFY_SOCKET')) return;
  const { runToEnd } = await import('../../base/programs.ts');
  const words = state === 'serves' ? '--ready' : 'STOPPING=1';
  const { isOk, said } = await runToEnd(['systemd-notify', words, `--status=${status}`], tellMs);
  if (!isOk) log.warn({ state, error: said }, 'systemd was not told what jobd does');
}
