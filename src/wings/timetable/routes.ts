import { setImmediate } from 'node:timers/promises';
import { badRequest, describe } from '../../api/description/operation.ts';
import { pageRequest } from '../../api/http/contract.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { listedShape } from '../../api/jobs/shape.ts';
import { countItems } from '../../api/http/limits/request-limits.ts';
import type { App } from '../../app/app.ts';
import type { ApiParts } from '../../serve/house.ts';
import { isoTime, isoTimeOrNull, msPerDay } from '../../domain/clock.ts';
import { readTime } from '../../domain/fields.ts';
import { searchFor } from '../../domain/search.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { scheduleWords } from '../../domain/schedule/words.ts';
import { Timetable, TimetableQuery, type TimetableRow } from './contract.ts';
import type { DueMark } from './marks.ts';
import { createTimetable, type TimetableJob } from './timetable.ts';

/** Runs and due times. */
const readPerRequest = 5_000;

const operations = describe(
  { tag: 'Overview', noun: 'job', isExtension: true },
  {
    getTimetable: {
      summary: 'Get the timetable',
      description:
        'Returns jobs by name with their runs and due times in a period of 7 days at most, and how many due times each minute ' +
        'to come has. Due times are those of the schedules as they are now, with spread and bounds; what follows from other ' +
        'jobs, make-ups and runs by hand is not among them. A page has 20,000 runs and 50,000 due times at most, in equal shares, ' +
        'and ends before the job with which it has over 5,000 entries. Each 5,000 runs and due times count as one request.',
      querystring: TimetableQuery,
      response: { 200: Timetable },
      answer: 'A page of the timetable.',
      failures: {
        400: badRequest(
          'to must be after from, by 7 days at most, got 2025-10-09T05:30:00.000Z to 2025-10-09T05:30:00.000Z',
        ),
      },
    },
  },
);

/** Adds the route. */
export function timetableRoutes(server: ApiServer, app: App, { limits }: ApiParts): void {
  const getTimetable = createTimetable(app);
  server.get('/overview/timetable', operations.getTimetable, async (request, answer) => {
    const { from, to, q, selector, ...page } = request.query;
    const now = app.clock.now();
    const { items, density, clockChanges, read, ...rest } = await getTimetable(request.principal, {
      ...pageRequest(page),
      from: from === undefined ? now - msPerDay : readTime('from', from),
      to: to === undefined ? now + msPerDay : readTime('to', to),
      search: searchFor(q, selector),
    });
    const counted = { items: read, perRequest: readPerRequest, answer };
    await countItems(limits, request.principal, counted);
    const { until: _, busiest, ...minutes } = density;
    return {
      jobs: await Array.fromAsync(items, (item) => setImmediate(rowShape(item))),
      ...rest,
      density: { ...minutes, from: isoTime(density.from), busiest: busiest.map(atTime) },
      clockChanges: clockChanges.map(atTime),
    };
  });
}

function atTime<T extends { at: number }>({ at, ...rest }: T) {
  return { at: isoTime(at), ...rest };
}

function rowShape({ job, runs, runsFrom, due, isDuePartial }: TimetableJob): TimetableRow {
  const { id, name, status, timezone, nextRunAt, after } = listedShape(job);
  return {
    id,
    name,
    status,
    timezone,
    nextRunAt,
    ...(after !== undefined && { after }),
    scheduleWords: scheduleWords(scheduleOf(job)),
    runs: runs.map(markShape),
    runsFrom: isoTimeOrNull(runsFrom),
    due: due.map(markShape),
    isDuePartial,
  };
}

/** What one mark stands for is said only if it is more than one. */
function markShape<Mark extends DueMark>({ at, until, count, ...rest }: Mark) {
  const several = count > 1 && { until: isoTime(until), count };
  return { at: isoTime(at), ...several, ...rest };
}
