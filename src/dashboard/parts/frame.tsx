/** What is around every page: where one is and may go, whether what is shown is true now, and the way out. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../api/accounts/session-contract.ts';
import type { OverviewResponse } from '../../api/overview/contract.ts';
import { onChange, liveState, pauseLive, type LiveState } from '../client/live.ts';
import { ofAnything, useResource } from '../client/resource.ts';
import { useShortcuts, isHelpShown } from '../client/shortcuts.ts';
import { go, path, mayLeave } from '../router.ts';
import { Bands } from './bands.tsx';
import { Muted } from './muted.tsx';
import { Button, Link, Outside, PauseSign } from './basic.tsx';
import { showTrouble, trouble } from './heading.tsx';
import { outage } from '../client/api.ts';
import { showControls } from '../../domain/characters.ts';
import { moveSession, signOut, workspaces } from '../client/session.ts';
import { showToast, toasts, dismissToast } from '../client/toasts.ts';
import { places } from '../view/places.ts';
import { Dialog } from './dialogs.tsx';
import { Palette } from './palette.tsx';

/** The audit trail is reached from the settings. */
const bar = places.filter(({ to }) => to !== '/audit');

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
  useShortcuts({ n: () => go(`${placeOfNew()}/new`) });
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
          {bar.map(({ to, word }) => (
            <Link key={to} to={to} current={isAt(to)}>
              {word} <Down count={downIn[word]} />
            </Link>
          ))}
        </nav>
        <LiveMark />
        <Who session={session} />
      </header>
      <Bands />
      <Muted />
      <main id="content">{children}</main>
      <Toasts />
      <Help />
      <Palette />
    </>
  );
}

/** Where a new one is made of what is shown: of jobs, unless it is something else that people make. */
function placeOfNew(): string {
  const [, place = ''] = /^(\/monitors|\/channels)/.exec(path.value) ?? [];
  return place || '/jobs';
}

function isAt(to: string): boolean {
  const at = path.value === '/audit' ? '/settings' : path.value;
  const begins = to === '/' ? '/jobs' : to;
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

const words: Record<LiveState, string> = {
  connecting: 'connecting',
  live: 'live',
  asking: 'every 10 s',
  paused: 'paused',
};

function LiveMark() {
  const state = liveState.value;
  const isPaused = state === 'paused';
  const word = outage.value !== null && !isPaused ? 'stale' : words[state];
  const does = isPaused ? 'Show changes again' : 'Pause changes of this page';
  return (
    <p class={`live ${word}`}>
      <span>{word}</span>
      <Button class="plain" aria-label={does} title={does} onClick={() => pauseLive(!isPaused)}>
        <PauseSign isPaused={isPaused} />
      </Button>
    </p>
  );
}

/** The workspace (owners may choose another), what this session may do, and a button to end it. */
function Who({ session: { workspace, permission } }: { session: Session }) {
  const others = workspaces.value;
  const leave = async (): Promise<void> => {
    if (!mayLeave()) return;
    const problem = await signOut();
    if (problem !== null) showToast({ text: problem, isProblem: true });
  };
  const move = async (choice: HTMLSelectElement): Promise<void> => {
    const problem = mayLeave() ? await moveSession(choice.value) : '';
    if (problem === null) return;
    choice.value = workspace.id;
    if (problem !== '') showToast({ text: problem, isProblem: true });
  };
  return (
    <div class="who">
      {others.length > 1 ? (
        <select
          aria-label="Workspace"
          value={workspace.id}
          onChange={({ currentTarget }) => void move(currentTarget)}
        >
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {showControls(name)}
            </option>
          ))}
        </select>
      ) : (
        <span class="workspace" title="Workspace">
          <Outside text={workspace.name} />
        </span>
      )}
      {permission === 'read' && <span class="tag">only read</span>}
      <Button class="plain" onClick={() => void leave()}>
        Sign out
      </Button>
    </div>
  );
}

/** Shows the toasts. Screen readers say them when they come. */
function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, isProblem, link }) => (
        <p key={id} class={isProblem === true ? 'toast bad' : 'toast'}>
          <span>
            <Outside text={text} /> {link !== undefined && <Link to={link.to}>{link.text}</Link>}
          </span>
          <Button class="plain" aria-label="Close" onClick={() => dismissToast(id)}>
            ✕
          </Button>
        </p>
      ))}
    </div>
  );
}

const shortcuts = [
  ['Ctrl+K', 'find a job, a monitor, a page, or what to do'],
  ['/', 'search'],
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['r', 'run the job now'],
  ['p', 'pause or resume the job'],
  ['e', 'edit the job'],
  ['n', 'new job, monitor or channel'],
  ...places.map(({ key, word }) => [`g ${key}`, word.toLowerCase()] as const),
  ['?', 'this list'],
] as const;

/** The list, while somebody reads it. */
function Help() {
  if (!isHelpShown.value) return null;
  const close = (): void => {
    isHelpShown.value = false;
  };
  return (
    <Dialog title="Keyboard" onClose={close}>
      <dl class="keys">
        {shortcuts.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Settings switches them off.</p>
      <p class="actions">
        <Button onClick={close}>Close</Button>
      </p>
    </Dialog>
  );
}

/** Brand and host in one line. */
export function Brand() {
  return (
    <p class="brand">
      <b>jobd</b> <span class="quiet">{location.host}</span>
    </p>
  );
}
