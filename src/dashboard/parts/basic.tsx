/** What every page is made of: text from outside, signs, failures, links and times. */

import { showControls } from '../../domain/characters.ts';
import { Fragment, type JSX, type ComponentChildren } from 'preact';
import { addressOf, go } from '../router.ts';
import { now } from '../client/clock.ts';
import { ago, until } from '../view/figures.ts';
import { absolute, timeIn } from '../view/times.ts';

/** The text with its control characters visible. Its direction does not reach what is around it. */
export function Outside({ text }: { text: string }) {
  return <bdi>{showControls(text)}</bdi>;
}

/** The text, line by line. */
export function Lines({ text }: { text: string }) {
  return (
    <pre class="lines">
      {text.split(/\r?\n/).map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have nothing else, and never move
        <Fragment key={index}>
          <Outside text={line.replaceAll('\t', '  ')} />
          {'\n'}
        </Fragment>
      ))}
    </pre>
  );
}

/** What a job, a monitor or a run can be; `info` is beside what is good to know. */
export type Status =
  | 'up'
  | 'success'
  | 'down'
  | 'failed'
  | 'late'
  | 'missed'
  | 'interrupted'
  | 'running'
  | 'paused'
  | 'new'
  | 'queued'
  | 'info';

const disc = (
  <path
    fill-rule="evenodd"
    d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1M6.9 11.6 3.7 8.4l1.2-1.2 2 2 4.2-4.2 1.2 1.2z"
  />
);
const square = (
  <path
    fill-rule="evenodd"
    d="M2 2h12v12H2zM8 6.7 5.7 4.4 4.4 5.7 6.7 8l-2.3 2.3 1.3 1.3L8 9.3l2.3 2.3 1.3-1.3L9.3 8l2.3-2.3-1.3-1.3z"
  />
);

const ring = <circle class="line" stroke-dasharray="2.4 2.4" cx="8" cy="8" r="6.1" />;

const shapes: Record<Status, JSX.Element> = {
  up: disc,
  success: disc,
  down: square,
  failed: square,
  late: (
    <path fill-rule="evenodd" d="M8 1 15.5 14.5H.5zM7.1 5.5v5h1.8v-5zM7.1 11.5v1.6h1.8v-1.6z" />
  ),
  missed: <path class="line" d="M8 1.8 14.2 8 8 14.2 1.8 8z" />,
  interrupted: (
    <>
      <path d="M8 1v14A7 7 0 0 1 8 1" />
      <path class="line" stroke-dasharray="2.2 2" d="M8 1.9a6.1 6.1 0 0 1 0 12.2" />
    </>
  ),
  running: <path class="line turning" stroke-width="2.2" d="M8 2a6 6 0 1 0 6 6" />,
  paused: <path d="M3.5 2h3v12h-3zM9.5 2h3v12h-3z" />,
  new: ring,
  queued: ring,
  info: (
    <path
      fill-rule="evenodd"
      d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1M7.1 3.8h1.8v1.8H7.1zM7.1 6.8h1.8v5.4H7.1z"
    />
  ),
};

/** The sign, 16 px. The word is beside it, so readers skip it. */
export function Glyph({ status }: { status: Status }) {
  return (
    <svg class={`glyph ${status}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[status]}
    </svg>
  );
}

/** What a button does that pauses, or that resumes. */
export function PauseSign({ isPaused }: { isPaused: boolean }) {
  const path = isPaused
    ? 'M2.5 2.5v11l7-5.5zM11 2.5h2.5v11H11z'
    : 'M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z';
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

interface ProblemProps {
  id?: string | undefined;
  text: string;
  /** Whether a screen reader finishes what it says first. */
  isPolite?: boolean;
}

/** The sentence. Screen readers say it at once. */
export function Problem({ id, text, isPolite = false }: ProblemProps) {
  return (
    <p id={id} class="problem" role={isPolite ? 'status' : 'alert'}>
      <Glyph status="down" />
      <span class={/^(?:jobd |[a-z]+[A-Z.])/.test(text) ? 'named' : undefined}>
        <Outside text={text} />
      </span>
    </p>
  );
}

export interface LinkProps {
  /** The path without the root: `/jobs/ID`. */
  to: string;
  class?: string;
  current?: boolean;
  label?: string;
  /** -1 where the keyboard gets there in another way. */
  tabIndex?: number;
  children: ComponentChildren;
}

/** The link. With a modifier or the middle button it opens another tab, as links do. */
export function Link({ to, class: name, current = false, label, tabIndex, children }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    go(to);
  };
  return (
    <a
      class={name}
      href={addressOf(to)}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
      tabIndex={tabIndex}
      onClick={follow}
    >
      {children}
    </a>
  );
}

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

/** How long it is until something, or other words for that. */
export function Until({ at, zone, words }: TimeProps & { words?: string | null | undefined }) {
  return (
    <time dateTime={at} title={absolute(at, zone)} data-at={timeIn(at, now.peek(), zone)}>
      {words ?? until(at, now.value)}
    </time>
  );
}

interface NoteProps {
  role?: 'status' | 'alert';
  status?: Status;
  children: ComponentChildren;
}

/** Something to know, with a sign before it. */
export function Note({ role, status = 'info', children }: NoteProps) {
  return (
    <div class="note" {...(role && { role })}>
      <Glyph status={status} />
      <p>{children}</p>
    </div>
  );
}

/** Facts, one below the other: each term with what there is to say; nothing where that is null or false. */
export function Facts({ of }: { of: Readonly<Record<string, ComponentChildren>> }) {
  const known = Object.entries(of).filter(([, value]) => (value ?? false) !== false);
  return (
    <dl class="facts">
      {known.map(([term, value]) => (
        <Fragment key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** A button that does something on this page. */
export function Button(props: JSX.IntrinsicElements['button']) {
  return <button type="button" {...props} />;
}
