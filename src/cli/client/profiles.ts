/** The profiles of `jobd login`, in one file that only its owner may read. A key is only sent to its own server. */

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { defaultServerUrl, type ClientSettings } from '../../settings/config.ts';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { replaceFile } from '../../base/whole-file.ts';

/** A server with its key. */
export interface Profile {
  /** Site URL. */
  url: string;
  apiKey: string;
}

export interface Profiles {
  /** The profile used when none is named. */
  current: string;
  profiles: Readonly<Record<string, Profile>>;
}

const none: Profiles = { current: 'default', profiles: {} };

/** The server that commands ask, and the key for it. */
export interface ClientConfig {
  /** Site URL, without a slash at its end. */
  url: string;
  /** Whether a variable or a profile names it. */
  isNamed?: boolean;
  apiKey: string | null;
  /** Where the key comes from, for messages. */
  keyFrom?: string;
  /** Without a key: the profiles that have keys for other servers. */
  others?: readonly string[];
}

/** Completes settings from the profile they name, else the current one, whose key goes to its own server only. Throws `usage`. */
export function findServer(settings: ClientSettings): ClientConfig {
  const { url, apiKey, profile: name, profilesFile } = settings;
  const given = { keyFrom: 'JOBD_API_KEY' };
  if (url !== null && apiKey !== null) return Object.freeze({ url, apiKey, ...given });
  const kept = readProfiles(profilesFile);
  const profile = profileNamed(kept, name ?? kept.current);
  if (name !== null && profile === undefined) {
    throw new JobdError('usage', `there is no profile ${name}: run jobd login --profile ${name}`);
  }
  const server = url ?? profile?.url ?? defaultServerUrl;
  if (apiKey !== null) return Object.freeze({ url: server, apiKey, ...given });
  if (profile?.url === server) {
    const keyFrom = `the profile ${name ?? kept.current} in ${profilesFile}`;
    return Object.freeze({ url: server, apiKey: profile.apiKey, keyFrom });
  }
  const others = Object.entries(kept.profiles).map(([other, { url: its }]) => `${other} (${its})`);
  const isNamed = url !== null || profile !== undefined;
  return Object.freeze({ url: server, isNamed, apiKey: null, others });
}

/** Reads the file, if there is a place and a file. Throws `usage` if other users may read it, or it holds no profiles. */
export function readProfiles(file: string | null): Profiles {
  if (file === null) return none;
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new JobdError(
        'usage',
        `other users can read the API keys in ${file}; run: chmod 600 ${file}`,
      );
    }
    return parse(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return none;
    throw error;
  }
}

/** Writes the whole file or nothing, readable by its owner only. */
export function writeProfiles(file: string, profiles: Profiles): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${file}.${crypto.randomUUID()}`, `${JSON.stringify(profiles, null, 2)}\n`);
}

/** Returns the profile with this name, if there is one. */
export function profileNamed({ profiles }: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

function parse(text: string, file: string): Profiles {
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>;
    const isWhole = Object.values(profiles ?? {}).every(
      ({ url, apiKey }) => typeof url === 'string' && typeof apiKey === 'string',
    );
    if (typeof current === 'string' && profiles !== undefined && isWhole) {
      return { current, profiles };
    }
  } catch {
    // Handled below, like JSON that holds something else.
  }
  throw new JobdError('usage', `${file} holds no profiles; remove it and run jobd login again`);
}
