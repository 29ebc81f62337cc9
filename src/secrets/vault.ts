/** The vault: seals and opens with the master keys there are, and follows when they change. */

import { JobdError } from '../domain/errors.ts';
import { givenUp } from '../domain/vault.ts';
import type { Vault } from '../domain/vault.ts';
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
    seal(keyId, plaintext, identity) {
      const key = find(keyId);
      if (key !== undefined) return seal(key, plaintext, identity);
      throw new JobdError('unavailable', `the master key ${keyId} is not in ${source.name}`);
    },
    open(sealed, identity) {
      if (sealed === givenUp) throw refused(identity, 'it was given up with its lost master key');
      const keyId = sealedBy(sealed);
      if (keyId === undefined) throw refused(identity, 'it is no sealed value');
      const key = find(keyId);
      if (key === undefined) throw refused(identity, `the master key ${keyId} is not here`);
      try {
        return open(key, sealed, identity);
      } catch (error) {
        throw refused(identity, 'it was changed, or belongs elsewhere', error);
      }
    },
  };
}

function refused(identity: string, why: string, cause?: unknown): JobdError {
  return new JobdError('unavailable', `what is sealed at ${identity} cannot be opened: ${why}`, {
    cause,
  });
}
