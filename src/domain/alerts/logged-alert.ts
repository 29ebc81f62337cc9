/** What the log says about an alert (docs/logs.md). */

import { subjectOf, type Alert, type AlertType } from './alert.ts';

/**
 * The fields of the line: the name and id of the job or monitor that an alert is about, or how many runs, jobs and monitors
 * it is about. Nothing for a test, or a payload that is no alert.
 */
export function loggedAlert(payload: string): Record<string, string | number> {
  try {
    const { data } = JSON.parse(payload) as Alert;
    const subject = subjectOf(data);
    if (subject !== null) {
      const { type, id, name } = subject;
      return { [type]: name, [`${type}Id`]: id };
    }
    const count = (data.runs ?? data.down)?.count;
    return count === undefined ? {} : { count };
  } catch {
    return {};
  }
}

/** What an alert is about: one job or monitor has a name, more have a count. */
interface About {
  name: string | null;
  count: number | null;
}

const isDown = ({ name }: About): string => `${name} is down`;
const isUpAgain = ({ name }: About): string => `${name} is up again`;

const newsByType: Readonly<Record<AlertType, (about: About) => string>> = {
  'job.failed': isDown,
  'job.recovered': isUpAgain,
  'monitor.down': isDown,
  'monitor.up': isUpAgain,
  'job.missed': ({ name, count }) =>
    name === null ? `${runs(count)} missed` : `${name} missed its time`,
  'job.interrupted': ({ name, count }) =>
    name === null ? `${runs(count)} interrupted` : `${name} was interrupted`,
  'run.finished': ({ name }) => `a run of ${name} is over`,
  reminder: ({ name, count }) =>
    name === null ? `${count} jobs and monitors are still down` : `${name} is still down`,
  test: () => 'a test',
};

/** What an alert says, in a clause; its type if that is none of this version. */
export function alertNews(type: string, about: About): string {
  return Object.hasOwn(newsByType, type) ? newsByType[type as AlertType](about) : type;
}

function runs(count: number | null): string {
  return count === 1 ? 'a run was' : `${count} runs were`;
}
