/** When a run was due, began and ended, to the millisecond, with what else is known of the call. */

import type { Run } from '../../../api/runs/contract.ts';
import { becauseOf } from '../../../domain/runs/reason.ts';
import { now } from '../../client/clock.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Facts, Outside } from '../../parts/basic.tsx';
import { duration, figures } from '../../view/figures.ts';
import { missedTimes, moments, originWords, whyOf } from '../../view/run.ts';
import { absolute, browserZone, clock } from '../../view/times.ts';

interface TimelineProps {
  run: Run;
  /** That of the job; this browser's if the job has none. */
  zone: string | undefined;
}

/** The moments from left to right, and the facts. */
export function Timeline({ run, zone }: TimelineProps) {
  const steps = moments(run, now.peek(), zone);
  const here = browserZone();
  return (
    <section class="panel">
      <h2>Times and call</h2>
      {run.status === 'missed' ? (
        <MissedTimes run={run} zone={zone} />
      ) : (
        <ol class="moments">
          {steps.map(({ word, at, day, clock: time, note }) => (
            <li key={word}>
              <span class="quiet">{word}</span>
              <time class="figure" dateTime={at} title={absolute(at)}>
                {day !== null && <span class="quiet">{day} </span>}
                {time}
              </time>
              {note !== '' && <span>{note}</span>}
            </li>
          ))}
        </ol>
      )}
      <p class="hint">
        Times in {zone ?? here}.
        {zone !== undefined &&
          isOther(run.scheduledFor, zone) &&
          ` Here (${here}) it was ${clock(run.scheduledFor, undefined, { withSeconds: true })}.`}
      </p>
      <RunFacts run={run} />
    </section>
  );
}

/** Whether the clocks of this browser show something else. */
function isOther(at: string, zone: string): boolean {
  return clock(at, zone) !== clock(at);
}

function MissedTimes({ run, zone }: TimelineProps) {
  const span = missedTimes(run);
  if (span === null) return null;
  const { count, first, last } = span;
  const known = whyOf(run);
  const why = known === null ? '' : becauseOf(known, (iso) => dated(iso, zone));
  const ends = count === 1 ? [first] : [first, last];
  return (
    <>
      <ol class="moments">
        {ends.map((at, index) => (
          <li key={at}>
            <span class="quiet">
              {count === 1 ? 'Due' : index === 0 ? 'First due time' : 'Last due time'}
            </span>
            <time class="figure" dateTime={at} title={absolute(at)}>
              {dated(at, zone)}
            </time>
          </li>
        ))}
      </ol>
      <p>
        {count === 1
          ? 'It was not called: '
          : `This run stands for ${figures(count)} due times that were not called: `}
        <Outside text={why} />.
      </p>
    </>
  );
}

function dated(at: string, zone: string | undefined): string {
  const [due] = moments(
    { scheduledFor: at, startedAt: null, finishedAt: null } as Run,
    now.peek(),
    zone,
  );
  return due === undefined ? at : `${due.day ?? ''} ${due.clock}`;
}

function RunFacts({ run }: { run: Run }) {
  const { id, attempts, httpStatus, durationMs, status } = run;
  const isMissed = status === 'missed';
  const notKnown = status === 'interrupted' ? 'unknown' : 'not ended';
  const took = `${duration(durationMs ?? 0)}${attempts > 1 ? ', all attempts and waits' : ''}`;
  return (
    <Facts
      of={{
        Source: originWords(run, run.jobId),
        'HTTP status': !isMissed && (httpStatus ?? 'none'),
        Attempts: !isMissed && attempts,
        Duration: !isMissed && (durationMs === null ? notKnown : took),
        'Run id': <Copyable text={id} />,
      }}
    />
  );
}
