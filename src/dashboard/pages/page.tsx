/** Decides what is shown, by the address and by who is signed in. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../api/accounts/session-contract.ts';
import { linkCode } from '../client/session/link.ts';
import { hasEnded, loadSession, notice, session } from '../client/session/session.ts';
import { Brand } from '../parts/frame/brand.tsx';
import { Frame } from '../parts/frame/frame.tsx';
import { Problem } from '../parts/problem.tsx';
import { go, match, path, stayUntil } from '../router.ts';
import { AuditPage } from './audit.tsx';
import { ChannelPage } from './channels/channel.tsx';
import { ChannelEditor } from './channels/editor.tsx';
import { ChannelsPage } from './channels/list.tsx';
import { JobEditor } from './jobs/editor.tsx';
import { JobPage } from './jobs/job.tsx';
import { JobsPage } from './jobs/list.tsx';
import { MissingPage } from './missing.tsx';
import { MonitorEditor } from './monitors/editor.tsx';
import { MonitorsPage } from './monitors/list.tsx';
import { MonitorPage } from './monitors/monitor.tsx';
import { RunPage } from './runs/run.tsx';
import { SettingsPage } from './settings/settings.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { SignInPage } from './sign-in.tsx';
import { TroublePage } from './trouble.tsx';

type Values = Record<string, string>;

/** Each address with its page; `api/page/routes.ts` answers the same ones. */
const pages: [pattern: string, show: (values: Values) => ComponentChildren][] = [
  ['/', () => <JobsPage />],
  ['/jobs/new', () => <JobEditor />],
  ['/jobs/:id', ({ id = '' }) => <JobPage key={id} id={id} />],
  ['/jobs/:id/edit', ({ id = '' }) => <JobEditor key={id} id={id} />],
  [
    '/jobs/:id/runs/:runId',
    ({ id = '', runId = '' }) => <RunPage key={runId} jobId={id} id={runId} />,
  ],
  ['/monitors', () => <MonitorsPage />],
  ['/monitors/new', () => <MonitorEditor />],
  ['/monitors/:id', ({ id = '' }) => <MonitorPage key={id} id={id} />],
  ['/monitors/:id/edit', ({ id = '' }) => <MonitorEditor key={id} id={id} />],
  ['/channels', () => <ChannelsPage />],
  ['/channels/new', () => <ChannelEditor />],
  ['/channels/:id', ({ id = '' }) => <ChannelPage key={id} id={id} />],
  ['/channels/:id/edit', ({ id = '' }) => <ChannelEditor key={id} id={id} />],
  ['/trouble', () => <TroublePage />],
  ['/audit', () => <AuditPage />],
  ['/settings', () => <SettingsPage />],
];

/** The whole page. */
export function Page() {
  const who = session.value;
  const isSignIn = who === null || linkCode.value !== null;
  const isElsewhere = path.value === '/sign-in';
  useEffect(() => {
    if (who === 'unknown') return;
    if (who === null) {
      stayUntil(null);
    }
    if (isSignIn && !isElsewhere) wanted = path.value + location.search;
    if (isSignIn !== isElsewhere) go(isSignIn ? '/sign-in' : wanted, { replace: true });
  }, [who, isSignIn, isElsewhere]);
  if (who === 'unknown') return <UnknownPage />;
  if (who === null || isSignIn) return <SignInPage current={who} />;
  // Somebody who signs in again to the same workspace goes on where they were, also an owner who takes a key for it.
  const key = `${who.workspace.id} ${who.permission}`;
  return <SignedIn key={key} session={who} />;
}

/** Where somebody wanted to go before signing in. */
let wanted = '/';

function SignedIn({ session: who }: { session: Session }) {
  return (
    <>
      <Frame session={who}>{pageAt(path.value)}</Frame>
      {hasEnded.value && <SignInAgain />}
    </>
  );
}

function pageAt(at: string): ComponentChildren {
  for (const [pattern, show] of pages) {
    const values = match(pattern, at);
    if (values !== null) return show(values);
  }
  return <MissingPage what="There is no such page." />;
}

/** Before the server has said who is signed in. */
function UnknownPage() {
  if (notice.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return (
    <main class="narrow">
      <Brand />
      <Problem text={notice.value} />
      <p class="actions">
        <button type="button" onClick={() => void loadSession()}>
          Try again
        </button>
      </p>
    </main>
  );
}
