/** What windows mute and hold, where people look at it. */

import type { OverviewResponse } from '../api/overview/contract.ts';
import { aboutText } from '../domain/window-words.ts';
import { moment, type Cell } from './terminal/cell.ts';
import type { Columns } from './terminal/output.ts';
import { timesText } from './terminal/times.ts';

interface Covered {
  mutedUntil?: string;
  heldUntil?: string;
}

/** Until when it is muted and held, where it is. */
export function coveredUntil({ mutedUntil, heldUntil }: Covered): Covered {
  return { ...(mutedUntil && { mutedUntil }), ...(heldUntil && { heldUntil }) };
}

/** The columns of a list of what may be muted or held. */
export const windowColumns: Columns<Covered> = {
  'mute ends': ({ mutedUntil }) => (mutedUntil ? moment(mutedUntil) : null),
  'hold ends': ({ heldUntil }) => (heldUntil ? moment(heldUntil) : null),
};

/** The fields of one that is muted or held. */
export function windowTimes(one: Covered): Record<string, Cell> {
  const cells = Object.entries(windowColumns).map(([title, cellOf]) => [title, cellOf(one)]);
  return Object.fromEntries(cells.filter(([, cell]) => cell !== null));
}

/** What windows mute and hold now, where they do, until when by the clock of this machine, and by which windows. */
export function windowsNow(
  { mutes, holds }: OverviewResponse['overview'],
  now: number,
): Record<string, string> {
  const texts = {
    muted: windowsText(mutes, { all: 'all alerts', some: 'alerts of ' }, now),
    held: windowsText(holds, { all: 'all jobs', some: '' }, now),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function windowsText(
  windows: OverviewResponse['overview']['mutes'],
  words: { all: string; some: string },
  now: number,
): string {
  const texts = windows.map(({ name, until, ...about }) => {
    const time = timesText({ from: until, until }, now);
    const what = aboutText(about);
    return `${what === 'all' ? words.all : `${words.some}${what}`} until ${time} by the window ${name}`;
  });
  return texts.join('; ');
}
