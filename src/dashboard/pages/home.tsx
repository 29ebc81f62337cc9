/** The page after signing in: how things are, who is signed in, and where to go on. */

import { useEffect } from 'preact/hooks';
import { Bar } from '../parts/bar.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Glyph } from '../parts/glyph.tsx';
import type { Status } from '../parts/glyph.tsx';
import { Heading } from '../parts/heading.tsx';
import { Outside } from '../parts/outside.tsx';
import { useTitle } from '../parts/title.ts';
import { overview, staleReason, watchOverview } from '../client/overview.ts';
import type { Overview } from '../client/overview.ts';
import { root } from '../router.ts';
import type { Session } from '../../api/accounts/session-contract.ts';
import { dayAndTime, timeOfDay } from '../view/times.ts';

/** The page. */
export function HomePage({ session }: { session: Session }) {
  useEffect(watchOverview, [session.id]);
  const counts = overview.value;
  const down = (counts?.jobs.down ?? 0) + (counts?.monitors.down ?? 0);
  useTitle(session.workspace.name, down);
  return (
    <>
      <Bar session={session} />
      <main>
        <Heading>
          <Outside text={session.workspace.name} />
        </Heading>
        {counts !== null && <Counts counts={counts} />}
        <Freshness asOf={counts?.asOf} />
        {counts?.jobs.total === 0 && <NoJobs mayWrite={session.permission === 'write'} />}
        <SignedIn session={session} />
        <nav class="links" aria-label="Elsewhere">
          <a href={`${root}docs`}>API reference</a>
        </nav>
      </main>
    </>
  );
}

type Row = readonly [status: Status, word: string, count: number];

function Counts({ counts: { jobs, monitors, lastDay } }: { counts: Overview }) {
  const jobRows: Row[] = [
    ['down', 'down', jobs.down],
    ['up', 'up', jobs.up],
    ['paused', 'paused', jobs.paused],
    ['new', 'new', jobs.new],
  ];
  // Counted besides: each of these is in a row above, too.
  const running: Row = ['running', 'running now', jobs.running];
  const monitorRows: Row[] = [
    ['down', 'down', monitors.down],
    ['late', 'late', monitors.late],
    ['up', 'up', monitors.up],
    ['paused', 'paused', monitors.paused],
    ['new', 'new', monitors.new],
  ];
  const runRows: Row[] = [
    ['failed', 'failed', lastDay.failed],
    ['missed', 'missed', lastDay.missed],
    ['interrupted', 'interrupted', lastDay.interrupted],
  ];
  return (
    <div class="ledger">
      <CountRow title="Jobs" total={jobs.total} rows={jobRows} besides={running} none="none yet" />
      <CountRow
        title="Monitors"
        total={monitors.total}
        rows={monitorRows}
        none="none yet"
        isPartial={monitors.isPartial}
      />
      <CountRow
        title="Last 24 hours"
        rows={runRows}
        none="no run failed, was missed or interrupted"
        isPartial={lastDay.isPartial}
      />
    </div>
  );
}

interface CountRowProps {
  title: string;
  total?: number;
  rows: Row[];
  /** What is no part of the total. */
  besides?: Row;
  /** What it says when there is nothing to count. */
  none: string;
  /** Whether there may be more than was counted. */
  isPartial?: boolean;
}

function CountRow({ title, total, rows, besides, none, isPartial = false }: CountRowProps) {
  const more = isPartial ? '+' : '';
  const present = rows.filter(([, , count]) => count > 0);
  return (
    <section>
      <h2>
        {title} {total !== undefined && <span class="figure">{figure(total) + more}</span>}
      </h2>
      {present.length === 0 && <p class="quiet">{none}</p>}
      {present.length > 0 && (
        <ul class="counts">
          {present.map(([status, word, count]) => (
            <li key={word} class={status}>
              <Glyph status={status} />
              <span class="figure">{figure(count) + more}</span> {word}
            </li>
          ))}
        </ul>
      )}
      {besides !== undefined && besides[2] > 0 && (
        <p class={`besides ${besides[0]}`}>
          <Glyph status={besides[0]} />
          <span class="figure">{figure(besides[2])}</span> {besides[1]}
        </p>
      )}
    </section>
  );
}

function figure(count: number): string {
  return count.toLocaleString('en');
}

function Freshness({ asOf }: { asOf: string | undefined }) {
  const reason = staleReason.value;
  if (reason === null)
    return asOf === undefined ? null : <p class="freshness quiet">As of {timeOfDay(asOf)}</p>;
  return (
    <output class="freshness stale">
      {asOf === undefined ? 'No figures yet' : `Stale since ${timeOfDay(asOf)}`}:{' '}
      <Outside text={reason} />
    </output>
  );
}

function NoJobs({ mayWrite }: { mayWrite: boolean }) {
  return (
    <section class="aside">
      <h2>No jobs yet</h2>
      <p>A job is a URL that jobd calls on a schedule.</p>
      {mayWrite && (
        <>
          <p>First give your command line a key, on the server as the user of jobd:</p>
          <Copyable text="jobd key create --name laptop | jobd login" />
          <p>Then create a job:</p>
          <Copyable text="jobd jobs create --name backup --url https://example.com/backup --cron '30 2 * * *'" />
        </>
      )}
    </section>
  );
}

const permissions = { read: 'only read', write: 'read and change everything in this workspace' };
const ownerMay = `${permissions.write}, and manage its keys`;

function SignedIn({ session: { permission, isOwner, expiresAt } }: { session: Session }) {
  return (
    <section aria-labelledby="session">
      <h2 id="session">Your session</h2>
      <dl>
        <dt>Permission</dt>
        <dd>{isOwner ? ownerMay : permissions[permission]}</dd>
        <dt>Ends</dt>
        <dd>
          <time dateTime={expiresAt}>{dayAndTime(expiresAt)}</time> at the latest, and after{' '}
          {isOwner ? '24 hours' : '7 days'} without use
        </dd>
      </dl>
    </section>
  );
}
