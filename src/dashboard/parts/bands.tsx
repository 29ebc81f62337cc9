/** What is wrong with everything that is shown: lines across the page, below its bar. */

import { outage } from '../client/api.ts';
import { clockDrift, now } from '../client/clock.ts';
import { newVersion, nextTryAt, tryNow } from '../client/live.ts';
import { hasMoved } from '../client/session.ts';
import { stayUntil } from '../router.ts';
import { span } from '../view/figures.ts';
import { clock } from '../view/times.ts';
import { Button, Outside } from './basic.tsx';

/** The lines; none if all is well. */
export function Bands() {
  const drift = clockDrift.value;
  return (
    <>
      {outage.value !== null && <Stale {...outage.value} />}
      {newVersion.value !== null && <Reload why={`jobd was updated to ${newVersion.value}.`} />}
      {hasMoved.value && (
        <Reload why="Another tab moved to another workspace. What you typed here cannot be saved there." />
      )}
      {drift !== null && (
        <p class="band" role="status">
          The clock of this computer is {span(Math.abs(drift) * 1000)}{' '}
          {drift > 0 ? 'ahead' : 'behind'}. Times here are those of the server.
        </p>
      )}
    </>
  );
}

function Reload({ why }: { why: string }) {
  return (
    <p class="band" role="status">
      {why} <Button onClick={reload}>Reload</Button>
    </p>
  );
}

function Stale({ since, error }: { since: number; error: string }) {
  // Drawn each second.
  const seconds = now.value > 0 && nextTryAt.value !== null ? left(nextTryAt.value) : 0;
  return (
    <p class="band stale">
      <span role="status">
        Stale since{' '}
        <time>{clock(new Date(since).toISOString(), undefined, { withSeconds: true })}</time>:{' '}
        <Outside text={error} />
      </span>{' '}
      {seconds > 0 && <span class="quiet">Again in {seconds} s.</span>}{' '}
      <Button onClick={tryNow}>Try now</Button>
    </p>
  );
}

function left(at: number): number {
  return Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function reload(): void {
  stayUntil(null);
  location.reload();
}
