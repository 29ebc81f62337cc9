/** The vault: seals and opens with the available master keys, and notices new ones. */

import { JobdError } from '../domain/errors.ts';
import { discarded, rowOf, type Vault } from '../domain/secrets/vault.ts';
import type { MasterKeys } from './master-keys.ts';
import type { MasterKey } from './master-key.ts';
import { open, seal, sealedBy } from './seal.ts';

export interface OpenVault extends Vault {
  /** Whether the key of this id is available. */
  has(keyId: string): boolean;
}

/** Opens the vault. For an unknown key it reads the keys again: another process may have rotated. */
export function openVault(source: MasterKeys): OpenVault {
  const keys = new Map<string, MasterKey>();
  function find(keyId: string): MasterKey | undefined {
    if (!keys.has(keyId)) for (const key of source.read()) keys.set(key.id, key);
    return keys.get(keyId);
  }
  return {
    has: (keyId) => find(keyId) !== undefined,
    seal(keyId, plaintext, place) {
      const key = find(keyId);
      if (key !== undefined) return seal(key, plaintext, place);
      throw new JobdError('unavailable', `the master key ${keyId} is not in ${source.name}`);
    },
    open(sealed, place) {
      if (sealed === discarded)
        throw refused(place, 'it was discarded because its master key was lost');
      const keyId = sealedBy(sealed);
      if (keyId === undefined) throw refused(place, 'it is not a sealed value');
      const key = find(keyId);
      if (key === undefined) throw refused(place, `the master key ${keyId} is missing`);
      try {
        return open(key, sealed, place);
      } catch (error) {
        throw refused(place, 'it was changed or moved', error);
      }
    },
  };
}

function refused(place: string, why: string, cause?: unknown): JobdError {
  const message = `the sealed value of ${rowOf(place)} cannot be opened: ${why}`;
  return new JobdError('unavailable', message, { cause });
}
