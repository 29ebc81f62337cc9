import { channelFields } from './alerts/fields.ts';
import { optionFor, type Fields } from './fields.ts';
import { jobFields } from './jobs/fields.ts';
import { monitorFields } from './monitors/fields.ts';
import { nearest } from './nearest.ts';

/** The options of fields: people who know the command line write their names. */
const options = new Map(
  [jobFields, monitorFields, channelFields].flatMap((fields) =>
    Object.entries(fields as Fields).map(
      ([name, field]) => [name, optionFor(name, field)] as const,
    ),
  ),
);
/** What `--in` is elsewhere. */
const ofIn = ['inSeconds', 'runAt', 'at'];

/** The known name that is probably meant by another one: by its option, with the unit that it lacks, or misspelt. */
export function meantField(word: string, known: readonly string[]): string | undefined {
  if (word === 'in') return ofIn.find((name) => known.includes(name));
  return (
    known.find((name) => options.get(name) === `--${word}` || name === `${word}Seconds`) ??
    nearest(word, known)
  );
}
