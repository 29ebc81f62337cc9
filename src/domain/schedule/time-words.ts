import { list, ordinal, stepOf, stretchesOf } from './values.ts';

/** Times in a list at most; a longer list is not easier to read than the expression. */
const mostTimes = 8;
/** Stretches of hours in a sentence at most. */
const mostStretches = 3;

/** When a day's calls are, from minutes and hours in their order; null if no sentence is clear. */
export function timeWords(minutes: readonly number[], hours: readonly number[]): string | null {
  const words = minutes.length > 2 ? manyMinutes(minutes, hours) : fewMinutes(minutes, hours);
  return words ?? listOfTimes(minutes, hours);
}

/** One or two minutes of each hour. */
function fewMinutes(minutes: readonly number[], hours: readonly number[]): string | null {
  const at = minutes.map(pastHour).join(' and ');
  if (hours.length === 24) return `Every hour at ${at}`;
  const step = stepOf(hours);
  const [first = 0] = hours;
  const last = hours.at(-1) ?? 0;
  if (step !== null && step > 1 && hours.length > 3) {
    // A step that does not go on evenly the next day is clearer as a list.
    const isUneven = last + step >= 24 && !isEven(first, step, 24);
    const isShort = minutes.length * hours.length <= mostTimes;
    if (isShort && (isUneven || minutes.length > 1)) return null;
    const every =
      minutes.length === 1 ? `Every ${step} hours` : `At ${at} of every ${ordinal(step)} hour`;
    const from = `${every} from ${clock(first, minutes[0])}`;
    if (last + step < 24) return `${from} to ${clock(last, minutes.at(-1))}`;
    return isUneven ? `${from} in each day` : from;
  }
  if (hours.length < 3) return null;
  const isList = stretchesOf(hours).length > 1 && minutes.length * hours.length <= mostTimes;
  const between = isList ? null : betweenWords(minutes, hours);
  return between && `Every hour at ${at} ${between}`;
}

/** Three minutes of each hour or more: they are equally far from each other, or there is no sentence. */
function manyMinutes(minutes: readonly number[], hours: readonly number[]): string | null {
  const step = stepOf(minutes);
  const between = hours.length === 24 ? '' : betweenWords(minutes, hours);
  if (step === null || between === null) return null;
  const every = step === 1 ? 'Every minute' : `Every ${step} minutes`;
  const [first = 0] = minutes;
  const last = minutes.at(-1) ?? 0;
  // In single hours, the first and the last time say it all.
  if (stretchesOf(hours).every(([from, to]) => from === to)) return `${every} ${between}`;
  if (isEven(first, step, 60) && last + step > 59) {
    if (between !== '') return `${every} ${between}`;
    return first === 0 ? every : `${every} from ${pastHour(first)}`;
  }
  const until = last + step > 59 && step > 1 ? '' : ` to ${pastHour(last)}`;
  const inEachHour = `${every} from ${pastHour(first)}${until} in each hour`;
  return between === '' ? inEachHour : `${inEachHour}, ${between}`;
}

/** The first and the last time of each stretch of hours; null if there are too many. */
function betweenWords(minutes: readonly number[], hours: readonly number[]): string | null {
  const stretches = stretchesOf(hours);
  if (stretches.length > mostStretches) return null;
  const [first] = minutes;
  const last = minutes.at(-1);
  return list(stretches.map(([from, to]) => `from ${clock(from, first)} to ${clock(to, last)}`));
}

function listOfTimes(minutes: readonly number[], hours: readonly number[]): string | null {
  if (minutes.length * hours.length > mostTimes) return null;
  return `At ${list(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute))))}`;
}

/** Whether a step goes on evenly from one hour or day into the next. */
function isEven(first: number, step: number, size: number): boolean {
  return size % step === 0 && first < step;
}

const two = (value: number): string => String(value).padStart(2, '0');
const clock = (hour: number, minute = 0): string => `${two(hour)}:${two(minute)}`;
const pastHour = (minute: number): string => `:${two(minute)}`;
