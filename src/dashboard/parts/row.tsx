/** A job, a monitor or a channel in its list. */

import type { ComponentChildren } from 'preact';
import type { Labels } from '../../domain/labels.ts';
import type { ScheduleSettings } from '../../domain/schedule/schedule.ts';
import { setPaused } from '../client/actions.ts';
import { now } from '../client/clock.ts';
import { duration } from '../view/figures.ts';
import { pageOf, type Kind } from '../view/places.ts';
import { strip, stripLabel } from '../view/strip.ts';
import { browserZone, city } from '../view/times.ts';
import { At, Button, Glyph, Link, Outside, PauseSign, Until, type Status } from './basic.tsx';
import { Chips } from './labels.tsx';
import { WindowTags } from './muted.tsx';

/** What every one of them has. */
export interface Thing {
  id: string;
  name: string;
  labels?: Labels;
  mutedUntil?: string;
  heldUntil?: string;
}

interface ThingRowProps {
  kind: Kind;
  thing: Thing;
  /** In words; also its class. */
  state: string;
  sign: Status;
  /** Before the sign. */
  choice?: ComponentChildren;
  /** Below the name. */
  below: ComponentChildren;
  when: ComponentChildren;
  past?: ComponentChildren;
  acts: ComponentChildren;
}

/** The row: state, name and what is below it; when it is due; the newest results; actions. */
export function ThingRow({ kind, thing, state, sign, choice, ...parts }: ThingRowProps) {
  const { below, when, past, acts } = parts;
  return (
    <li class={`row ${kind} ${state}`} data-id={thing.id}>
      <span class="state" title={state}>
        {choice}
        <Glyph status={sign} />
        <span class="hidden">{state}</span>
      </span>
      <div class="what">
        <Link to={pageOf(kind, thing.id)} class="name">
          <Outside text={thing.name} />
        </Link>
        <Chips kind={kind} labels={thing.labels} most={2} />
        <WindowTags of={thing} />
        {below}
      </div>
      <p class="when">{when}</p>
      {past}
      {acts && <div class="acts">{acts}</div>}
    </li>
  );
}

interface PastProps {
  recent: readonly string[];
  lastDurationMs: number | null;
  noun?: string;
  /** What is said below, left of how long the last one took. */
  children?: ComponentChildren;
}

/** The newest results, and how long the last one took. */
export function Past({ recent, lastDurationMs, noun, children }: PastProps) {
  return (
    <div class="past">
      <Strip recent={recent} {...(noun !== undefined && { noun })} />
      <p class="quiet last">
        <span>{children}</span>
        {lastDurationMs !== null && <span>took {duration(lastDurationMs)}</span>}
      </p>
    </div>
  );
}

/** The newest results as bars, oldest first; each status has a shape of its own. Readers hear how many of each there are. */
export function Strip({ recent, noun }: { recent: readonly string[]; noun?: string }) {
  const { width, height, paths } = strip(recent);
  return (
    <svg
      class="strip"
      role="img"
      aria-label={stripLabel(recent, noun)}
      viewBox={`0 0 ${width} ${height}`}
    >
      {Object.entries(paths).map(([status, path]) => (
        <path key={status} class={status} d={path} />
      ))}
    </svg>
  );
}

/** Below this a due time counts down. */
const soonMs = 3_600_000;

interface DueProps extends Pick<ScheduleSettings, 'scheduleType' | 'timezone'> {
  at: string;
  /** How far it is, if that is not all there is to say. */
  words?: string | null;
}

/** A countdown if it is soon or overdue, else a time; the zone is that of the schedule. */
export function Due({ at, scheduleType, timezone, words }: DueProps) {
  const zone = scheduleType === 'cron' ? timezone : browserZone();
  if (Date.parse(at) - now.value < soonMs) return <Until at={at} zone={zone} words={words} />;
  return (
    <>
      <At at={at} zone={zone} /> {city(zone)}
    </>
  );
}

interface RowPauseProps {
  kind: 'job' | 'monitor';
  thing: Thing & { paused: boolean };
}

/** Pauses or resumes it, as a sign; `p` presses it. */
export function RowPause({ kind, thing }: RowPauseProps) {
  const { name, paused } = thing;
  const word = paused ? 'Resume' : 'Pause';
  return (
    <Button
      class="plain"
      data-key="p"
      title={word}
      aria-label={`${word} ${name}`}
      onClick={() => void setPaused(kind, thing, !paused)}
    >
      <PauseSign isPaused={paused} />
    </Button>
  );
}
