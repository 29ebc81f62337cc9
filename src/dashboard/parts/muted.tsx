/** Windows that are in effect (docs/behavior.md#windows): a line across the page for each, so that nobody forgets them. */

import type { Window, WindowList } from '../../wings/windows/contract.ts';
import { aboutOf, aboutText } from '../../domain/window-words.ts';
import { useAgainAfter } from '../client/again.ts';
import { now } from '../client/clock.ts';
import { ofNothing, useResource } from '../client/resource.ts';
import { change, mayWrite } from '../client/session.ts';
import { showToast } from '../client/toasts.ts';
import { timeIn } from '../view/times.ts';
import { Button, Outside } from './basic.tsx';

const list = '/windows?limit=100';

/** The lines. A change of a window is a change of anything. */
export function Muted() {
  const first = useResource<WindowList>(list, ofNothing);
  const cursor = first.body.value?.nextCursor ?? null;
  // A workspace has 200 at most, with those that are over: two pages.
  const others = useResource<WindowList>(cursor && `${list}&cursor=${cursor}`, ofNothing);
  const windows = [first, others].flatMap(({ body }) => body.value?.windows ?? []);
  useAgainAfter(
    () =>
      windows.flatMap(({ onUntil, nextFrom }) =>
        [onUntil, nextFrom].flatMap((at) => (at === null ? [] : Date.parse(at))),
      ),
    () => Promise.all([first.reload(), others.reload()]),
  );
  return windows.map((one) => one.onUntil !== null && <Line key={one.id} {...one} />);
}

function Line({ id, name, effect, onUntil, ...window }: Window) {
  const what = aboutText(aboutOf(window));
  const [whose, done] = effect === 'mute' ? ['Alerts', 'muted'] : ['Due times', 'held'];
  return (
    <p class="band" role="status">
      {what === 'all' ? `All ${whose.toLowerCase()}` : `${whose} of ${what}`} are {done} until{' '}
      {timeIn(onUntil ?? '', now.value)}: <Outside text={name} />{' '}
      {mayWrite.value && <Button onClick={() => void end(id)}>End now</Button>}
    </p>
  );
}

/** Beside the name of what is muted or held. */
export function WindowTags({ of }: { of: { mutedUntil?: string; heldUntil?: string } }) {
  const all = { muted: of.mutedUntil, held: of.heldUntil };
  return Object.entries(all).map(
    ([word, until]) =>
      until !== undefined &&
      Date.parse(until) > now.value && (
        <span class="labels" key={word}>
          <span class="tag">
            {word} until {timeIn(until, now.value)}
          </span>
        </span>
      ),
  );
}

async function end(id: string): Promise<void> {
  const answer = await change('POST', `/windows/${id}/end`);
  if (!answer.ok) showToast({ text: answer.error, isProblem: true });
}
