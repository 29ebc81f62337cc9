/** Principals for use cases that are called without HTTP. */

import type { Principal } from '../../../src/app/app.ts';

/** A key with write permission in a workspace. */
export function writerIn(workspaceId: string): Principal {
  return {
    actor: { type: 'key', id: '0199c6f4-0000-7000-8000-000000000001', name: 'test' },
    keyId: null,
    sender: { address: '127.0.0.1', forwardedFor: null },
    isOwner: false,
    workspaceId,
    permission: 'write',
    accountExpiresAt: null,
    hasWindows: true,
  };
}
