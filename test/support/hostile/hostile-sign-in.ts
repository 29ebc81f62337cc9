/** Bodies and headers about sign-in that start valid and are then broken. `WRITE_KEY` and `WORKSPACE` stand for known values. */

import * as fc from '../fast-check.ts';
import { hostileHeader } from './hostile.ts';
import { fieldsOf, spoilt } from './hostile-job.ts';

const json = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<string> =>
  arbitrary.map((value) => JSON.stringify(value));

const guess = fc.string({ unit: fc.constantFrom('0', 'a', 'f'), minLength: 31, maxLength: 33 });

/** Bodies of signIn, valid ones among them. */
export const hostileSignIn = fc.oneof(
  { weight: 4, arbitrary: spoilt(fieldsOf({ key: json(fc.constant('WRITE_KEY')) }, ['key'])) },
  { weight: 2, arbitrary: spoilt(fieldsOf({ code: json(guess) }, ['code'])) },
  { weight: 1, arbitrary: json(fc.constant({ key: 'WRITE_KEY', code: '0'.repeat(32) })) },
);

/** Bodies of moveSession, valid ones among them. */
export const hostileMove = spoilt(
  fieldsOf({ workspaceId: json(fc.oneof(fc.constant('WORKSPACE'), fc.uuid())) }, ['workspaceId']),
);

/** Bodies of createKey, valid ones among them. */
export const hostileKeyInput = spoilt(
  fieldsOf(
    {
      name: json(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })),
      permission: json(fc.constantFrom('read', 'write')),
      expiresAt: json(fc.constantFrom('2999-01-01T00:00:00Z', null, '2020-01-01T00:00:00Z', '')),
    },
    ['name', 'permission'],
  ),
);

/** The headers of the owner's page. */
export interface Owner {
  cookie: string;
  'x-jobd-workspace': string;
}

/** The headers of the owner's page instead of a key, mostly. */
export const ownerHeaders: fc.Arbitrary<((owner: Owner) => Record<string, string>) | null> =
  fc.oneof(
    { weight: 12, arbitrary: fc.constant((owner: Owner) => ({ ...owner })) },
    { weight: 1, arbitrary: fc.constant(({ cookie }: Owner) => ({ cookie })) },
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: hostileHeader.map((value) => (owner: Owner) => ({
        ...owner,
        cookie: `${owner.cookie};${value}`,
      })),
    },
    {
      weight: 1,
      arbitrary: hostileHeader.map((value) => (owner: Owner) => ({
        ...owner,
        'x-jobd-workspace': value,
      })),
    },
    {
      weight: 1,
      arbitrary: hostileHeader.map((value) => (owner: Owner) => ({ ...owner, origin: value })),
    },
  );

/** Puts the known values in their places. */
export function withKnown(
  body: string,
  { keys, owner }: { keys: { write: string }; owner: Owner },
): string {
  return body
    .replaceAll('WRITE_KEY', () => keys.write)
    .replaceAll('WORKSPACE', () => owner['x-jobd-workspace']);
}
