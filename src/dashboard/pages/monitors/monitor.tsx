/** A monitor: how it is, how a task pings it, when the next ping is due, and its pings. */

import type { Monitor, MonitorResponse, Ping } from '../../../api/monitors/contract.ts';
import type { MonitorSummary } from '../../../api/overview/contract.ts';
import { useAgainAfter } from '../../client/live/again.ts';
import { now } from '../../client/clock.ts';
import { setPaused } from '../../client/actions/update.ts';
import { usePages } from '../../client/pages.ts';
import { ofMonitor, useResource } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { PageActions } from '../../parts/page-actions.tsx';
import { RowList } from '../../parts/rows/row-list.tsx';
import { Strip } from '../../parts/rows/strip.tsx';
import { visibleLines } from '../../view/body.ts';
import { momentsOf, monitorSentence } from '../../view/monitors/monitor-state.ts';
import { MissingPage } from '../missing.tsx';
import { NextPing } from './next-ping.tsx';
import { PingRow } from './ping.tsx';
import { PingUrl } from './ping-url.tsx';

/** The page. */
export function MonitorPage({ id }: { id: string }) {
  const found = useResource<MonitorResponse>(`/monitors/${id}`, ofMonitor(id));
  const missing = <MissingPage what="There is no such monitor." to="/monitors" word="Monitors" />;
  useAgainAfter(
    () => (found.body.value === null ? [] : momentsOf(found.body.value.monitor)),
    found.reload,
  );
  return (
    <Loaded from={found} missing={missing}>
      {({ monitor }) => <Whole monitor={monitor} />}
    </Loaded>
  );
}

function Whole({ monitor }: { monitor: Monitor }) {
  const { id, name, status, paused, notes } = monitor;
  const summary = useSummary(monitor);
  const path = `/monitors/${id}/pings?limit=30`;
  const pings = usePages<Ping>(path, 'pings', ofMonitor(id), () => false);
  const lastEnd = pings.rows.value?.find(({ kind }) => kind !== 'start');
  return (
    <>
      <Breadcrumbs kind="monitor" />
      <div class="head">
        <Heading title={name}>
          <Glyph status={status} />
          <Outside text={name} />
        </Heading>
        {mayWrite.value && (
          <PageActions
            kind="monitor"
            subject={monitor}
            loss="Its pings are deleted too, and its ping URL stops working."
          >
            <button type="button" onClick={() => void setPaused('monitor', monitor, !paused)}>
              {paused ? 'Resume' : 'Pause'}
            </button>
          </PageActions>
        )}
      </div>
      <p class="sentence">
        {monitorSentence(monitor, { nowMs: now.value, since: summary?.since, lastEnd })}
      </p>
      {notes !== '' && <p class="notes">{visibleLines(notes)}</p>}
      <div class="columns">
        <NextPing monitor={monitor} words={summary?.scheduleWords} />
        <PingUrl monitor={monitor} />
      </div>
      <section class="stack">
        <div class="head">
          <h2>Pings</h2>
          {summary !== undefined && <Strip recent={summary.recent} noun="ping" />}
        </div>
        <RowList
          list={pings}
          of={path}
          label="Pings, newest first"
          none={<p>No ping has come yet.</p>}
        >
          {(ping) => <PingRow key={ping.id} ping={ping} />}
        </RowList>
      </section>
    </>
  );
}

/** What only the list knows: since when, the schedule in words, the newest results. */
function useSummary({ id, name, nextDueAt, status }: Monitor): MonitorSummary | undefined {
  const asked = new URLSearchParams({ limit: '100', q: name });
  const list = useResource<{ monitors: MonitorSummary[] }>(
    `/overview/monitors?${asked.toString()}`,
    ofMonitor(id),
  );
  const found = list.body.value?.monitors.find((monitor) => monitor.id === id);
  useAgainAfter(() => (found === undefined ? [] : momentsOf(found)), list.reload);
  // Two answers may be from before and after a change.
  return found?.status === status && found.nextDueAt === nextDueAt ? found : undefined;
}
