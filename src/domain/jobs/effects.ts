/** Fields of a job that do nothing beside others: who gives one means something that would not happen (docs/behavior.md#job-16). */

import { invalidInput } from '../errors.ts';
import type { EditableFields } from './job.ts';

type Field = 'spreadSeconds' | 'notBefore' | 'notAfter' | 'makeUpSeconds' | 'deleteAfterSeconds';
type Fields = Pick<EditableFields, Field | 'runAt' | 'after'>;

/** Which fields have no effect on which jobs. */
const idle: readonly [fields: readonly Field[], on: (job: Fields) => boolean, words: string][] = [
  [
    ['spreadSeconds', 'notBefore', 'notAfter', 'makeUpSeconds', 'deleteAfterSeconds'],
    ({ after }) => after !== null,
    'has no effect on a job that runs after another one',
  ],
  [
    ['spreadSeconds', 'notBefore', 'notAfter'],
    ({ runAt }) => runAt !== null,
    'has no effect on a job that is due once',
  ],
  [
    ['deleteAfterSeconds'],
    ({ runAt, notAfter }) => runAt === null && notAfter === null,
    'has no effect without runAt or notAfter, as such a job is always due again',
  ],
];

/** Refuses what is given, other than before, and has no effect on the job that results. Throws `invalid_input`. */
export function checkEffects(given: object, before: Fields, job: Fields): void {
  for (const [fields, isOn, words] of idle) {
    if (!isOn(job)) continue;
    const field = fields.find(
      (name) => Object.hasOwn(given, name) && job[name] !== null && job[name] !== before[name],
    );
    if (field !== undefined) throw invalidInput(`${field} ${words}: leave it out`);
  }
}

/** The input of a job without the fields that have no effect beside the others: a job that has them already keeps them. */
export function withEffects<Input extends { [Name in keyof Fields]?: unknown }>(
  given: Input,
): Input {
  const job = { after: null, runAt: null, notAfter: null, ...given } as unknown as Fields;
  const fields = idle.flatMap(([names, isOn]) => (isOn(job) ? names : []));
  return { ...given, ...Object.fromEntries(fields.map((name) => [name, null])) };
}
