/** The server that the commands of this process ask. */

import { clientSettings } from '../../config.ts';
import type { ClientSettings } from '../../config.ts';
import { findServer } from '../../profiles.ts';
import type { ClientConfig } from '../../profiles.ts';

/** `--profile` of this command line; null if it was not given. */
let flag: string | null = null;

/** Sets `--profile`. Called once, before the command runs. */
export function useProfile(name: string): void {
  flag = name;
}

/** What flags and environment say about the server. Throws `invalid_input`. */
export function settings(): ClientSettings {
  return clientSettings(flag);
}

/** The server to ask, and the key for it. Throws `invalid_input` and `usage`. */
export function clientConfig(): ClientConfig {
  return findServer(settings());
}
