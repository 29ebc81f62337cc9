/** Windows that are in effect (docs/behavior.md#windows): a line across the page for each, so that nobody forgets them. */

import type { Window, WindowList } from '../../wings/windows/contract.ts';
import { useAgainAfter } from '../client/again.ts';
import { now } from '../client/clock.ts';
import { ofNothing, useResource } from '../client/resource.ts';
import { change, mayWrite } from '../client/session.ts';
import { timeIn } from '../view/times.ts';
import { Button, Outside } from './basic.tsx';

/** The lines. A change of a window is a change of anything. */
export function Muted() {
  const { body, reload } = useResource<WindowList>('/windows?limit=100', ofNothing);
  const windows = body.value?.windows ?? [];
  useAgainAfter(
    () =>
      windows.flatMap(({ onUntil, nextFrom }) =>
        [onUntil, nextFrom].flatMap((at) => (at === null ? [] : Date.parse(at))),
      ),
    reload,
  );
  return windows.map((one) => one.onUntil !== null && <Line key={one.id} {...one} />);
}

function Line({ id, name, selector, jobIds, monitorIds, onUntil }: Window) {
  const chosen = (jobIds ?? monitorIds) === null ? 'All alerts' : 'Some alerts';
  return (
    <p class="band" role="status">
      {selector === null ? chosen : `Alerts of ${selector}`} are muted until{' '}
      {timeIn(onUntil ?? '', now.value)}: <Outside text={name} />{' '}
      {mayWrite.value && (
        <Button onClick={() => void change('POST', `/windows/${id}/end`)}>End now</Button>
      )}
    </p>
  );
}
