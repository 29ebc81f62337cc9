/**
 * Who makes a call, and with which key it proves that. The keys are read again when a call asks for one and the last look
 * is a second ago: while no call is signed, nothing is read.
 */

import { algorithmOf, signerOf } from '../../domain/proof/call-key.ts';
import { isoTime, type Clock } from '../../domain/clock.ts';
import type { Caller } from '../../domain/proof/caller.ts';
import type { SignKind, Signing } from '../../domain/jobs/sign.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import type { Egress } from '../../egress/egress.ts';
import { openCallKey, type CallSigner } from '../../identity/keyring.ts';
import type { Log } from '../../base/log.ts';
import { listSigningCallKeys, type SigningCallKey } from '../../store/proof/call-keys.ts';
import type { Store } from '../../store/database/store.ts';

/** How long a look at the keys suffices. */
const freshMs = 1_000;

export interface CallerParts {
  store: Store;
  clock: Clock;
  vault: Vault;
  log: Log;
  /** Gets the private keys before the calls that they sign. */
  egress: Pick<Egress, 'useCallKeys'>;
  /** The site URL, which is known only once the server listens. */
  readonly siteUrl: () => string;
}

/** A run whose calls are to say who makes them. */
export interface IdentifiedRun extends Pick<Caller, 'workspaceId' | 'jobId' | 'runId'> {
  /** The due time that it stands for, in epoch milliseconds. */
  dueAt: number;
  request: Signing;
}

export interface Callers {
  /** The caller of an attempt that begins now; null if there is no key to prove it. */
  readonly callerOf: (run: IdentifiedRun) => Promise<Caller | null>;
}

/** Makes what the calls of a process share. */
export function createCallers(parts: CallerParts): Callers {
  const { store, clock, vault, log, egress, siteUrl } = parts;
  let found: readonly SigningCallKey[] = [];
  /** Those that can be opened, by id. */
  let signers = new Map<string, CallSigner>();
  let lookedAt = -Infinity;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      take(await listSigningCallKeys(store.db));
    } catch (error) {
      // A call is as trustworthy with the keys of the last look.
      if (found.length === 0) throw error;
      log.warn(
        { err: error },
        'the call keys cannot be read: calls are signed with those read last',
      );
    } finally {
      lookedAt = clock.monotonicMs();
      looking = null;
    }
  }

  function take(rows: readonly SigningCallKey[]): void {
    const isSame =
      rows.length === found.length &&
      rows.every(({ keyId }, index) => keyId === found[index]?.keyId);
    // Its times may have changed: another key is to follow.
    found = rows;
    if (isSame) return;
    const opened = rows.map((row) => signers.get(row.keyId) ?? openedKey(row));
    signers = new Map(opened.filter((key) => key !== null).map((key) => [key.keyId, key]));
    egress.useCallKeys([...signers.values()]);
  }

  function signerNow(kind: SignKind): SigningCallKey | undefined {
    const able = found.filter(({ keyId }) => signers.has(keyId));
    return signerOf(able, algorithmOf(kind), clock.now());
  }

  function openedKey(row: SigningCallKey): CallSigner | null {
    try {
      return openCallKey(vault, row);
    } catch (error) {
      log.error({ err: error }, 'a call key cannot be opened');
      return null;
    }
  }

  return {
    async callerOf({ workspaceId, jobId, runId, dueAt, request: { sign: kind, audience } }) {
      if (kind === null) return null;
      const isFresh = clock.monotonicMs() - lookedAt < freshMs;
      if (!isFresh) await (looking ??= look());
      // A key may have been made since the last look.
      if (isFresh && signerNow(kind) === undefined) await (looking ??= look());
      const keyId = signerNow(kind)?.keyId;
      if (keyId === undefined) return null;
      const at = clock.now();
      const run = { workspaceId, jobId, runId, scheduledFor: isoTime(dueAt) };
      return { kind, keyId, issuer: siteUrl(), ...run, audience, at };
    },
  };
}
