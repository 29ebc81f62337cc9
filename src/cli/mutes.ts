/** What windows mute, where people look at what they are alerted of. */

import type { OverviewResponse } from '../api/overview/contract.ts';
import { aboutText } from '../domain/window-words.ts';
import { moment, type Moment } from './terminal/cell.ts';
import type { Columns } from './terminal/output.ts';
import { timesText } from './terminal/times.ts';

interface Muted {
  mutedUntil?: string;
}

/** The column of a list in which something is muted. */
export function mutedColumn(listed: readonly Muted[]): Columns<Muted> {
  if (!listed.some(({ mutedUntil }) => mutedUntil)) return {};
  return { 'mute ends': ({ mutedUntil }) => moment(mutedUntil ?? null) };
}

/** The field of one that is muted. */
export function mutedField({ mutedUntil }: Muted): Record<string, Moment> {
  return mutedUntil === undefined ? {} : { 'mute ends': moment(mutedUntil) };
}

/** Which alerts are muted until when, by the clock of this machine, and by which windows; null if none are. */
export function mutesText({ mutes }: OverviewResponse['overview'], now: number): string | null {
  return windowsText(mutes, { all: 'all alerts', some: 'alerts of ' }, now);
}

/** Which jobs are held, in the same way. */
export function holdsText({ holds }: OverviewResponse['overview'], now: number): string | null {
  return windowsText(holds, { all: 'all jobs', some: '' }, now);
}

function windowsText(
  windows: OverviewResponse['overview']['mutes'],
  words: { all: string; some: string },
  now: number,
): string | null {
  const texts = windows.map(({ name, until, ...about }) => {
    const time = timesText({ from: until, until }, now);
    const what = aboutText(about);
    return `${what === 'all' ? words.all : `${words.some}${what}`} until ${time} by the window ${name}`;
  });
  return texts.join('; ') || null;
}
