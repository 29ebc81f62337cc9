/** Settings: the account, who may sign in, what receipts are checked with, this jobd and this browser. */

import type { ComponentChildren } from 'preact';
import type { Session } from '../../../api/accounts/session-contract.ts';
import { signedIn } from '../../client/session.ts';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/basic.tsx';
import { addressOf } from '../../router.ts';
import { Account } from './account.tsx';
import { Browser } from './browser.tsx';
import { Keys } from './keys.tsx';
import { ReceiptKeysSection } from './receipt-keys.tsx';
import { Server } from './server.tsx';
import { Sessions } from './sessions.tsx';

const sections: [id: string, title: string, show: (who: Session) => ComponentChildren][] = [
  ['account', 'Account', (who) => <Account session={who} />],
  ['keys', 'Keys', (who) => <Keys session={who} />],
  ['sessions', 'Sessions', (who) => <Sessions session={who} />],
  ['receipt-keys', 'Receipt keys', (who) => <ReceiptKeysSection session={who} />],
  ['server', 'This jobd', (who) => <Server session={who} />],
  ['browser', 'This browser', () => <Browser />],
];

/** The page. */
export function SettingsPage() {
  const who = signedIn.value;
  if (who === null) return null;
  return (
    <div class="settings">
      <div class="stack side">
        <Heading title="Settings" />
        <nav aria-label="Settings">
          {sections.map(([id, title]) => (
            <a key={id} href={`#${id}`} onClick={(event) => showSection(event, id)}>
              {title}
            </a>
          ))}
          <Link to="/audit">Audit trail</Link>
          <a href={addressOf('/docs')}>API reference</a>
        </nav>
      </div>
      <div class="stack sections">
        {sections.map(([id, title, show]) => (
          <section key={id} class="panel" aria-labelledby={id}>
            <h2 id={id} tabIndex={-1}>
              {title}
            </h2>
            <div class="stack">{show(who)}</div>
          </section>
        ))}
      </div>
    </div>
  );
}

/** A step within the page is none of the history. */
function showSection(event: Event, id: string): void {
  event.preventDefault();
  const heading = document.querySelector<HTMLElement>(`#${id}`);
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}
