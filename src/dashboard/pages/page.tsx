/** Decides what is shown, by the address and by who is signed in. */

import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../api/accounts/session-contract.ts';
import { linkCode } from '../client/link.ts';
import { hasEnded, loadSession, notice, session } from '../client/session.ts';
import { Brand, Frame } from '../parts/frame.tsx';
import { Button, Problem } from '../parts/basic.tsx';
import { go, match, path, stayUntil } from '../router.ts';
import { AuditPage } from './audit.tsx';
import { ChannelPage } from './channels/channel.tsx';
import { channelEditor } from './channels/editor.tsx';
import { ChannelsPage } from './channels/list.tsx';
import { jobEditor } from './jobs/editor.tsx';
import { JobPage } from './jobs/job.tsx';
import { JobsPage } from './jobs/list.tsx';
import { Instead } from '../parts/loaded.tsx';
import { EditorPage } from '../parts/forms/editor.tsx';
import { ThingPage } from '../parts/thing.tsx';
import { momentsOf } from '../view/monitor-state.ts';
import { lists } from '../view/places.ts';
import type { Channel } from '../../api/alerts/contract.ts';
import type { Job } from '../../api/jobs/contract.ts';
import type { Monitor } from '../../api/monitors/contract.ts';
import type { PagePath } from '../../api/page/paths.ts';
import { monitorEditor } from './monitors/editor.tsx';
import { MonitorsPage } from './monitors/list.tsx';
import { MonitorPage } from './monitors/monitor.tsx';
import { RunPage } from './runs/run.tsx';
import { SettingsPage } from './settings/settings.tsx';
import { SignInAgain, SignInPage } from './sign-in.tsx';
import { TimetablePage } from './timetable/page.tsx';
import { TroublePage } from './trouble.tsx';

type Values = Record<string, string>;

const showJob = ({ id = '' }: Values): VNode => (
  <ThingPage<Job> key={id} kind="job" id={id}>
    {(job) => <JobPage job={job} />}
  </ThingPage>
);
const showMonitor = ({ id = '' }: Values): VNode => (
  <ThingPage<Monitor> key={id} kind="monitor" id={id} moments={momentsOf}>
    {(monitor) => <MonitorPage monitor={monitor} />}
  </ThingPage>
);
const showChannel = ({ id = '' }: Values): VNode => (
  <ThingPage<Channel> key={id} kind="channel" id={id}>
    {(channel) => <ChannelPage channel={channel} />}
  </ThingPage>
);
// Without an id, one is made.
const editJob = ({ id }: Values): VNode => <EditorPage key={`job ${id}`} of={jobEditor} id={id} />;
const editMonitor = ({ id }: Values): VNode => (
  <EditorPage key={`monitor ${id}`} of={monitorEditor} id={id} />
);
const editChannel = ({ id }: Values): VNode => (
  <EditorPage key={`channel ${id}`} of={channelEditor} id={id} />
);

/** Each address that the server answers, with its page, in the order in which they are looked through. */
const pages: Record<Exclude<PagePath, '/sign-in'>, (values: Values) => VNode> = {
  '/': () => <JobsPage />,
  '/jobs/new': editJob,
  '/jobs/:id': showJob,
  '/jobs/:id/edit': editJob,
  '/jobs/:id/runs/:runId': ({ id = '', runId = '' }) => (
    <RunPage key={runId} jobId={id} id={runId} />
  ),
  '/monitors': () => <MonitorsPage />,
  '/monitors/new': editMonitor,
  '/monitors/:id': showMonitor,
  '/monitors/:id/edit': editMonitor,
  '/channels': () => <ChannelsPage />,
  '/channels/new': editChannel,
  '/channels/:id': showChannel,
  '/channels/:id/edit': editChannel,
  '/timetable': () => <TimetablePage />,
  '/trouble': () => <TroublePage />,
  '/audit': () => <AuditPage />,
  '/settings': () => <SettingsPage />,
};

/** The whole page. */
export function Page() {
  const who = session.value;
  const isSignIn = who === null || linkCode.value !== null;
  const isElsewhere = path.value === '/sign-in';
  useEffect(() => {
    if (who === 'unknown') return;
    if (who === null) stayUntil(null);
    if (isSignIn && !isElsewhere) wanted = path.value + location.search;
    if (isSignIn !== isElsewhere) go(isSignIn ? '/sign-in' : wanted, { replace: true });
  }, [who, isSignIn, isElsewhere]);
  if (who === 'unknown') return <UnknownPage />;
  if (who === null || isSignIn) return <SignInPage current={who} />;
  // Somebody who signs in again to the same workspace continues where they were, also an owner who takes a key for it.
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
  for (const [pattern, show] of Object.entries(pages)) {
    const values = match(pattern, at);
    if (values !== null) return show(values);
  }
  return <Instead title="There is no such page." {...lists.job} />;
}

/** Before the server has said who is signed in. */
function UnknownPage() {
  if (notice.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return (
    <main class="narrow">
      <Brand />
      <Problem text={notice.value} />
      <p class="actions">
        <Button onClick={() => void loadSession()}>Try again</Button>
      </p>
    </main>
  );
}
