/**
 * Due times against the oracle around the clock changes of 2020–2037: of a sample of them, and of the expressions.
 *
 *   JOBD_ORACLE=100    expressions for each change (40); `full` takes all, and every change of every zone
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dueBetween, nextDue } from '../../../src/domain/schedule/next.ts';
import { clockOf, dueMinutes, readWindow, type Window } from './oracle.ts';

const zones = `Europe/Paris Europe/London Europe/Dublin Europe/Chisinau Europe/Lisbon
  Africa/Casablanca Africa/El_Aaiun Africa/Cairo Africa/Juba Asia/Beirut Asia/Gaza Asia/Jerusalem
  Asia/Amman Asia/Tehran Asia/Kathmandu Asia/Kolkata Australia/Lord_Howe Australia/Adelaide
  Pacific/Chatham Pacific/Norfolk Pacific/Easter America/New_York America/St_Johns
  America/Sao_Paulo America/Santiago America/Havana America/Nuuk Antarctica/Troll
  Antarctica/Casey UTC`.split(/\s+/);

const expressions = [
  ...`* * * * *|*/30 * * * *|0 * * * *|30 2 * * *|0 2 * * *|0 3 * * *|30 1 * * *|0 0 * * *
    |59 23 * * *|0,30 2 * * *|0,15,30,45 0-3 * * *|*/15 2 * * *|30 */2 * * *|30 * * * *|0 0-23 * * *
    |0-59 2 * * *|15/20 1 * * *|0 0 1 * *|0 0 * * 0|30 2 * * 0|30 2 * 3 0L|30 2 * 10 0L|0 1 * * 0#2
    |30 2 L * *|30 2 29 3 *|30 2 29 3 0|30 2 */2 * 0|30 2 1-7 * 0|30 2 * * */3|30 2 1 * *|1 0 * * *
    |0 1 * * 5L|0,59 23,0 * * *|45 23 * * *|*/7 0,1,2,3 * * *|0 2,3 * * *|10 2,3 * * *|5/5 2/1 * * 7`
    .split('|')
    .map((cronExpr) => cronExpr.trim()),
  ...randomExpressions(162, 20_260_729),
];

const sample = process.env['JOBD_ORACLE'] ?? '40';
const windowsPerZone = sample === 'full' ? Infinity : 4;
const expressionsPerWindow = sample === 'full' ? expressions.length : Number(sample);
const windowMinutes = 5 * 1440;
/** Zone data is read by the year, so the boundary between two years is always checked. */
const newYear = Date.UTC(2026, 11, 29) / 60_000;

for (const timezone of zones) {
  void test(`due times in ${timezone} equal those of a minute-by-minute search`, () => {
    const random = seeded(timezone.length * 1009 + timezone.charCodeAt(timezone.length - 1));
    const changes = shuffled(windowStarts(timezone), random).slice(0, windowsPerZone);
    const starts = [...changes, newYear];
    let compared = 0;
    for (const start of starts) {
      const window = readWindow(timezone, start, windowMinutes);
      for (const cronExpr of shuffled(expressions, random).slice(0, expressionsPerWindow)) {
        compared += compare(cronExpr, timezone, window, random);
      }
    }
    assert.ok(compared > 0, 'some due times were compared');
  });
}

/** Compares all due times of a window, one by one and as a count; returns their number. */
function compare(cronExpr: string, timezone: string, window: Window, random: () => number): number {
  const schedule = { scheduleType: 'cron', cronExpr, timezone } as const;
  // The first day fills the oracle's memory of past times.
  const from = window.from + 1440;
  const until = window.from + window.local.length;
  const expected = dueMinutes(cronExpr, window).filter((minute) => minute >= from);
  const context = `"${cronExpr}" in ${timezone} from ${new Date(from * 60_000).toISOString()}`;

  const found: number[] = [];
  for (let at = from * 60_000 - 1; found.length <= expected.length;) {
    const next = nextDue(schedule, at);
    if (next === null || next >= until * 60_000) break;
    found.push(next / 60_000);
    at = next;
  }
  assert.deepEqual(found, expected, context);

  const [low = 0, high = 0] = [random(), random()]
    .map((part) => from + Math.floor(part * (until - from)))
    .toSorted((a, b) => a - b);
  const between = expected.filter((minute) => minute > low && minute <= high);
  assert.deepEqual(
    dueBetween(schedule, low * 60_000, high * 60_000),
    between.length === 0
      ? null
      : {
          first: between[0]! * 60_000,
          last: between.at(-1)! * 60_000,
          count: between.length,
        },
    `${context}: between ${low} and ${high}`,
  );
  return expected.length;
}

/** Windows that begin two days and some minutes before a change, or one in July without any. */
function windowStarts(timezone: string): number[] {
  const localAt = clockOf(timezone);
  const starts: number[] = [];
  const until = Date.UTC(2038, 0, 1) / 60_000;
  let shift: number | null = null;
  for (let minute = Date.UTC(2020, 0, 1) / 60_000; minute < until; minute += 720) {
    const now = localAt(minute) - minute;
    if (shift !== null && now !== shift) starts.push(minute - 720 - 2 * 1440 + 7);
    shift = now;
  }
  return starts.length > 0 ? starts : [Date.UTC(2026, 6, 1) / 60_000];
}

function randomExpressions(count: number, seed: number): string[] {
  const random = seeded(seed);
  const pick = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const item = (least: number, most: number): string => {
    const first = pick(least, most);
    const kind = random();
    if (kind < 0.45) return `${first}`;
    if (kind < 0.7) return `${first}-${pick(first, most)}`;
    if (kind < 0.85) return `${first}-${pick(first, most)}/${pick(1, 5)}`;
    return `${first}/${pick(1, Math.min(most, 9))}`;
  };
  const field = (least: number, most: number, star: number): string => {
    const kind = random();
    if (kind < star * 0.7) return '*';
    if (kind < star) return `*/${pick(1, Math.min(most, 20))}`;
    return Array.from({ length: pick(1, 3) }, () => item(least, most)).join(',');
  };
  // `*/19` with `4#5` would never fire, so places in a month only go with plain days.
  const days = () => {
    const kind = random();
    const weekday = pick(0, 7);
    if (kind < 0.1) return ['L', '*', weekday];
    if (kind < 0.2) return [pick(1, 31), '*', `${weekday}L`];
    if (kind < 0.35) return ['*', '2-5,9-11', `${weekday}#${pick(1, 5)}`];
    return [field(1, 31, 0.6), random() < 0.8 ? '*' : '2-5,9-11', field(0, 7, 0.6)];
  };
  return Array.from({ length: count }, () =>
    [field(0, 59, 0.2), random() < 0.5 ? item(0, 3) : field(0, 23, 0.3), ...days()].join(' '),
  );
}

/** Marsaglia's xorshift, so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
