/** The server that the commands of this process ask. */

import { clientSettings, type ClientSettings } from '../../settings/config.ts';
import { invalidInput } from '../../domain/errors.ts';
import { findServer, type ClientConfig } from './profiles.ts';

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

/** The file to keep profiles in. Throws `invalid_input` if this user has no place for it. */
export function profilesFile(): string {
  const file = settings().profilesFile;
  if (file !== null) return file;
  throw invalidInput(
    'this user has no home directory to keep profiles in: set HOME, or use JOBD_URL and JOBD_API_KEY',
  );
}

/** The server to ask, and the key for it. Throws `invalid_input` and `usage`. */
export function clientConfig(): ClientConfig {
  return findServer(settings());
}
