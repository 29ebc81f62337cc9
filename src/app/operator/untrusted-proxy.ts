/** A proxy on this machine that `--trusted-proxy` does not name: its clients share the limits of one address. */

import { recordUntrustedProxy } from '../../store/accounts/instance.ts';
import type { App } from '../app.ts';

/** Keeps its address for `jobd doctor`, until jobd starts again. */
export async function noteUntrustedProxy(
  { store }: Pick<App, 'store'>,
  address: string,
): Promise<void> {
  await recordUntrustedProxy(store, address);
}
