/** What is around every page: where one is and may go, whether what is shown is true now, and the way out. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../../api/accounts/session-contract.ts';
import type { OverviewResponse } from '../../../api/overview/contract.ts';
import { onChange } from '../../client/live/live.ts';
import { ofAnything, useResource } from '../../client/resource.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { go, path } from '../../router.ts';
import { Bands } from './bands.tsx';
import { Help } from './help.tsx';
import { Link } from '../link.tsx';
import { LiveMark } from './live-mark.tsx';
import { showTrouble } from './tab-icon.ts';
import { trouble } from './title.ts';
import { Toasts } from './toast.tsx';
import { Who } from './who.tsx';

const places = [
  { to: '/', word: 'Jobs', begins: '/jobs' },
  { to: '/monitors', word: 'Monitors', begins: '/monitors' },
  { to: '/channels', word: 'Channels', begins: '/channels' },
  { to: '/trouble', word: 'Trouble', begins: '/trouble' },
  { to: '/settings', word: 'Settings', begins: '/settings' },
];

/** The counts of the workspace: asked once for all that shows them. */
export function useOverview(): OverviewResponse['overview'] | null {
  const overview = useResource<OverviewResponse>('/overview', ofAnything);
  // Counts may be a second old: what the last change made of them is known after that.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unfollow = onChange(() => {
      clearTimeout(timer);
      timer = setTimeout(overview.reloadSoon, 1_200);
    });
    return () => {
      unfollow();
      clearTimeout(timer);
    };
  }, [overview]);
  return overview.body.value?.overview ?? null;
}

/** The frame around a page. */
export function Frame({ session, children }: { session: Session; children: ComponentChildren }) {
  const counts = useOverview();
  const down = (counts?.jobs.down ?? 0) + (counts?.monitors.down ?? 0);
  useEffect(() => {
    trouble.value = down;
    showTrouble(down > 0);
  }, [down]);
  const downIn: Record<string, number | undefined> = {
    Jobs: counts?.jobs.down,
    Monitors: counts?.monitors.down,
  };
  useShortcuts({ n: () => go(path.value.startsWith('/monitors') ? '/monitors/new' : '/jobs/new') });
  const toContent = (event: Event): void => {
    event.preventDefault();
    document.querySelector<HTMLElement>('main h1')?.focus();
  };
  return (
    <>
      <a class="skip" href="#content" onClick={toContent}>
        Skip to the content
      </a>
      <header class="bar">
        <Link to="/" class="brand" label="jobd, all jobs">
          <b>jobd</b>
        </Link>
        <nav aria-label="Pages">
          {places.map(({ to, word, begins }) => (
            <Link key={to} to={to} current={isAt(to, begins)}>
              {word} <Down count={downIn[word]} />
            </Link>
          ))}
        </nav>
        <LiveMark />
        <Who session={session} />
      </header>
      <Bands />
      <main id="content">{children}</main>
      <Toasts />
      <Help />
    </>
  );
}

function isAt(to: string, begins: string): boolean {
  const at = path.value === '/audit' ? '/settings' : path.value;
  return at === to || at === begins || at.startsWith(`${begins}/`);
}

/** How many are down, beside the name of their page. */
function Down({ count = 0 }: { count: number | undefined }) {
  if (count === 0) return null;
  return (
    <span class="down figure">
      {count}
      <span class="hidden"> down</span>
    </span>
  );
}
