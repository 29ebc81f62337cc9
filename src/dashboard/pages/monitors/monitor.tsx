/** A monitor: how it is, how a task pings it, when the next ping is due, and its pings. */

import type { Monitor, Ping } from '../../../api/monitors/contract.ts';
import type { MonitorSummary } from '../../../api/overview/contract.ts';
import { now } from '../../client/clock.ts';
import { useAgainAfter } from '../../client/again.ts';
import { usePages } from '../../client/pages.ts';
import { ofOne, useResource } from '../../client/resource.ts';
import { Ago, At, Glyph, type Status } from '../../parts/basic.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { Strip } from '../../parts/row.tsx';
import { RowList } from '../../parts/rows.tsx';
import { PauseButton, ThingHead } from '../../parts/thing.tsx';
import { visibleLines } from '../../view/body.ts';
import { duration } from '../../view/figures.ts';
import { momentsOf, monitorSentence } from '../../view/monitor-state.ts';
import { pingLines } from '../../view/ping-lines.ts';
import { NextPing } from './next-ping.tsx';

/** What is on its page. */
export function MonitorPage({ monitor }: { monitor: Monitor }) {
  const { id, status, notes } = monitor;
  const summary = useSummary(monitor);
  const path = `/monitors/${id}/pings?limit=30`;
  const pings = usePages<Ping>(path, 'pings', ofOne('monitor', id), () => false);
  const lastEnd = pings.rows.value?.find(({ kind }) => kind !== 'start');
  return (
    <>
      <ThingHead
        kind="monitor"
        thing={monitor}
        status={status}
        loss="Its pings are deleted too, and its ping URL stops working."
      >
        <PauseButton kind="monitor" thing={monitor} />
      </ThingHead>
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
    ofOne('monitor', id),
  );
  const found = list.body.value?.monitors.find((monitor) => monitor.id === id);
  useAgainAfter(() => (found === undefined ? [] : momentsOf(found)), list.reload);
  // Two answers may be from before and after a change.
  return found?.status === status && found.nextDueAt === nextDueAt ? found : undefined;
}

const signs: Record<Ping['kind'], Status> = {
  start: 'running',
  success: 'success',
  fail: 'failed',
};
const words: Record<Ping['kind'], string> = { start: 'start', success: 'success', fail: 'failure' };

/** A ping. Its body is folded. */
function PingRow({ ping }: { ping: Ping }) {
  const { kind, exitCode, receivedAt, durationMs, source, body, truncated } = ping;
  return (
    <li class="row ping">
      <span class="state">
        <Glyph status={signs[kind]} />
      </span>
      <p class="what">
        {words[kind]}
        {exitCode !== null && kind === 'fail' && <span class="quiet"> · exit code {exitCode}</span>}
      </p>
      <p class="when">
        <At at={receivedAt} />{' '}
        <span class="quiet">
          <Ago at={receivedAt} />
        </span>
      </p>
      <p class="took figure">{durationMs === null ? '' : duration(durationMs)}</p>
      <p class="by quiet">{source}</p>
      {body !== null && <Output body={body} truncated={truncated} />}
    </li>
  );
}

/** The first line; the rest is folded. */
function Output({ body, truncated }: Pick<Ping, 'truncated'> & { body: string }) {
  const text = visibleLines(body);
  return (
    <details class="body">
      <summary>
        <bdi>{text.trim().split('\n', 1)[0] || 'blank'}</bdi>
      </summary>
      <pre>
        <bdi>{text}</bdi>
      </pre>
      {truncated && <p class="hint">These are the first 4,096 bytes. More was sent.</p>}
    </details>
  );
}

/** The URL that a task pings, and lines to paste. A session that may only read does not see the URL. */
function PingUrl({ monitor }: { monitor: Monitor }) {
  const { pingUrl, status } = monitor;
  return (
    <section class="panel stack">
      <h2>Ping URL</h2>
      {pingUrl === null ? (
        <p class="quiet">
          Anyone who knows the URL can ping, so it is not shown to a session that may only read.
        </p>
      ) : (
        <>
          <Copyable text={pingUrl} />
          <p class="hint">Keep it to yourself: anyone who knows it can ping.</p>
          <details open={status === 'new'}>
            <summary>Lines to paste</summary>
            <div class="stack">
              {pingLines(monitor, pingUrl).map(({ title, line }) => (
                <div key={title}>
                  <h3 class="quiet">{title}</h3>
                  <Copyable text={line} />
                </div>
              ))}
              <p class="hint">Put your own command in place of /path/to/command.</p>
            </div>
          </details>
        </>
      )}
    </section>
  );
}
