/** Due times in the zone of a schedule, and here if that shows other times, with how long it is until then. */

import { now } from '../client/clock.ts';
import { absolute, browserZone, clock, dayIn, timeIn } from '../view/times.ts';
import { Until } from './basic.tsx';

interface DueTimesProps {
  next: readonly string[];
  zone: string;
}

/** The table. */
export function DueTimes({ next, zone }: DueTimesProps) {
  const withSeconds = next.some((at) => Date.parse(at) % 60_000 !== 0);
  const here = browserZone();
  // Other zones may have the same time: Europe/Berlin and Europe/Paris.
  const isElsewhere = next.some((at) => timeIn(at, 0, zone) !== timeIn(at, 0, here));
  const zones = isElsewhere ? [zone, here] : [zone];
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
          <th scope="col">
            <span class="hidden">how long until then</span>
          </th>
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
            <td class="quiet">
              <Until at={at} zone={zone} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
