/** A schedule in words, with its next due times. */

import type { SchedulePreview } from '../../../api/schedule/contract.ts';
import type { Answer } from '../../client/api.ts';
import { now } from '../../client/clock.ts';
import { absolute, browserZone, clock, dayIn, sameZone } from '../../view/times.ts';
import { Glyph } from '../glyph.tsx';
import { Outside } from '../outside.tsx';
import { Until } from '../time.tsx';

interface PreviewProps {
  /** Null while it is being read. */
  answer: Answer<SchedulePreview> | null;
  zone: string;
  isFilledIn: boolean;
  /** Whether it waits to be resumed. */
  isPaused: boolean;
  /** Due times of periods are at a second. */
  withSeconds: boolean;
}

/** What is known of it: never the words or times of another schedule. */
export function Preview({ answer, zone, isFilledIn, isPaused, withSeconds }: PreviewProps) {
  const body = answer?.ok === true ? answer.body : null;
  const first = body?.next[0];
  return (
    <div class="preview" aria-busy={isFilledIn && answer === null}>
      <p class={body === null ? 'quiet' : 'sentence'} role="status">
        {body?.words ?? waitingWords(isFilledIn, answer)}
      </p>
      {first !== undefined && (
        <p class="quiet">
          {isPaused ? (
            'Paused now. If it is resumed:'
          ) : (
            <>
              Next <Until at={first} zone={zone} />
            </>
          )}
        </p>
      )}
      {body !== null && first !== undefined && (
        <DueTimes next={body.next} zone={zone} withSeconds={withSeconds} />
      )}
      {body?.notes.map((note) => (
        <p key={note} class="note">
          <Glyph status="late" />
          <Outside text={note} />
        </p>
      ))}
    </div>
  );
}

function DueTimes({
  next,
  zone,
  withSeconds,
}: {
  next: string[];
  zone: string;
  withSeconds: boolean;
}) {
  const here = browserZone();
  const zones = sameZone(zone, here) ? [zone] : [zone, here];
  return (
    <table class="due">
      <caption class="hidden">Next due times</caption>
      <thead>
        <tr>
          {zones.map((name, index) => (
            <th key={name} scope="col">
              {name.replaceAll('_', ' ')}
              {index === 1 && ' (here)'}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {next.map((at) => (
          <tr key={at}>
            {zones.map((name) => (
              <td key={name}>
                <time dateTime={at} title={absolute(at, name)}>
                  {dayIn(at, now.peek(), name)} <b>{clock(at, name, { withSeconds })}</b>
                </time>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function waitingWords(isFilledIn: boolean, answer: Answer<SchedulePreview> | null): string {
  if (!isFilledIn) return 'The next due times are shown here.';
  if (answer === null) return 'Reading…';
  return !answer.ok && answer.status !== 400 ? answer.error : 'No due times.';
}
