import { isoTime } from '../../domain/clock.ts';
import { plain } from './text.ts';

/** From when to when, by the clock of this machine: `12:06–12:21`, with the date if it is not that of `now`. */
export function timesText({ from, until }: { from: string; until: string }, now: number): string {
  const [begin, end] = [localTime(from), localTime(until)];
  const today = localTime(isoTime(now)).date;
  const date = begin.date === today ? '' : `${begin.date} `;
  const last = end.date === begin.date ? end.time : `${end.date} ${end.time}`;
  return date + begin.time + (last === begin.time ? '' : `–${last}`);
}

/** The form of Sweden is that of ISO 8601. */
function localTime(iso: string): { date: string; time: string } {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return { date: '', time: plain(iso) };
  const time = at.toLocaleTimeString('sv-SE', { hour: '2-digit', minute: '2-digit' });
  return { date: at.toLocaleDateString('sv-SE'), time };
}
