/** Times. What is shown is short; the whole time with its zone is in the title. A row that has the focus shows `data-at` instead. */

import { now } from '../client/clock.ts';
import { ago, until } from '../view/durations.ts';
import { absolute, timeIn } from '../view/times.ts';

interface TimeProps {
  at: string;
  /** IANA zone; this browser's by default. */
  zone?: string | undefined;
}

/** A moment: `Mon 23 Nov 02:30`. */
export function At({ at, zone }: TimeProps) {
  return (
    <time dateTime={at} title={absolute(at, zone)}>
      {timeIn(at, now.peek(), zone)}
    </time>
  );
}

/** How long ago something was. */
export function Ago({ at, zone }: TimeProps) {
  return (
    <time dateTime={at} title={absolute(at, zone)} data-at={timeIn(at, now.peek(), zone)}>
      {ago(at, now.value)}
    </time>
  );
}

/** How long it is until something. */
export function Until({ at, zone }: TimeProps) {
  return (
    <time dateTime={at} title={absolute(at, zone)} data-at={timeIn(at, now.peek(), zone)}>
      {until(at, now.value)}
    </time>
  );
}
