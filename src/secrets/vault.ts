/** The vault: seals and opens with the master keys there are, and follows when they change. */

import { JobdError } from '../domain/errors.ts';
import { givenUp, rowOf } from '../domain/secrets/vault.ts';
import type { Vault } from '../domain/secrets/vault.ts';
import type { MasterKeys } from './master-keys.ts';
import type { MasterKey } from './master-key.ts';
import { open, seal, sealedBy } from './seal.ts';

export interface OpenVault extends Vault {
  /** Whether the key of this id is here. */
  has(keyId: string): boolean;
}

/** Opens the vault. A key that is not known yet is looked for again: another process may have rotated. */
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
      if (sealed === givenUp) throw refused(place, 'it was given up with its lost master key');
      const keyId = sealedBy(sealed);
      if (keyId === undefined) throw refused(place, 'it is no sealed value');
      const key = find(keyId);
      if (key === undefined) throw refused(place, `the master key ${keyId} is not here`);
      try {
        return open(key, sealed, place);
      } catch (error) {
        throw refused(place, 'it was changed, or belongs elsewhere', error);
      }
    },
  };
}

function refused(place: string, why: string, cause?: unknown): JobdError {
  return new JobdError(
    'unavailable',
    `what is sealed at ${rowOf(place)} cannot be opened: ${why}`,
    {
      cause,
    },
  );
}
