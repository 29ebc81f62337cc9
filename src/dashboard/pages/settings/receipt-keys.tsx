/** The public keys that check receipts. */

import type { ReceiptKeys } from '../../../api/proof/contract.ts';
import type { Session } from '../../../api/accounts/session-contract.ts';
import type { About } from '../../../api/accounts/contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { addressOf } from '../../router.ts';

/** The section. */
export function ReceiptKeysSection({ session }: { session: Session }) {
  const keys = useResource<ReceiptKeys>('/receipts/keys', ofNothing);
  const about = useResource<About>(session.isOwner ? '/about' : null, ofNothing);
  // Only the owner may know. The newest key signs unless signing is off.
  const isSigning = about.body.value?.isSigning ?? true;
  return (
    <>
      <p>
        jobd signs a receipt of each answered call. Receipts are checked with these public keys:
        archive them before you need them, and trust your copy.
      </p>
      <Loaded from={keys}>
        {({ keys: all }) =>
          all.length === 0 ? (
            <p class="quiet">Signing is off, and was never on: there is no key.</p>
          ) : (
            <>
              <ul class="rows" aria-label="Receipt keys">
                {all.map(({ kid }, index) => (
                  <li key={kid} class="row">
                    <code class="what">{kid}</code>
                    <span class="tag">{index === 0 && isSigning ? 'active' : 'retired'}</span>
                  </li>
                ))}
              </ul>
              <p class="actions">
                <a
                  class="button"
                  href={addressOf('/api/v1/receipts/keys')}
                  download="jobd-receipt-keys.json"
                >
                  Download the keys
                </a>
                <a
                  class="button"
                  href={addressOf('/verify-receipt.mjs')}
                  download="verify-receipt.mjs"
                >
                  Download the checker
                </a>
              </p>
              <p class="hint">The checker is a script for Node, without jobd or a network:</p>
              <Copyable text="node verify-receipt.mjs receipt.json jobd-receipt-keys.json" />
            </>
          )
        }
      </Loaded>
    </>
  );
}
