/** What the API returns about a key, its workspace and the plan of its account. */

import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import { permissions } from '../../domain/accounts/key.ts';
import { planNames } from '../../domain/accounts/plan.ts';
import * as t from '../http/schema.ts';

const example = {
  workspace: { id: '0199c6a0-1b2c-7d3e-8f40-51627384a5b6', name: 'production' },
  permission: 'write',
  plan: {
    name: 'pro',
    jobs: 100,
    minIntervalSeconds: 60,
    maxTimeoutSeconds: 30,
    results: 10_000,
    retentionDays: 90,
  },
  usage: { jobs: 37, monitors: 0, results: 8_212 },
  trialEndsAt: '2025-10-23T00:00:00.000Z',
};

export const Me = t.output('Me', 'A key, its workspace and the plan of its account.', example, {
  workspace: part('The workspace of the key.', {
    id: t.id('The id of the workspace.'),
    name: t.text('The name of the workspace.'),
  }),
  permission: t.oneOf(permissions, 'What the key may do: only read, or also write.'),
  plan: part('The limits of the plan. Null means no limit.', {
    name: t.oneOf(planNames, 'The plan of the account.'),
    jobs: t.nullable(t.integer('The most jobs and monitors together, including paused ones.')),
    minIntervalSeconds: t.integer(
      'The shortest interval between two due times of a schedule, in seconds.',
    ),
    maxTimeoutSeconds: t.integer('The longest duration of one attempt, in seconds.'),
    results: t.integer('The most results that are kept, of all jobs together.'),
    retentionDays: t.integer('How long a result is kept, in days.'),
  }),
  usage: part(
    'What the account uses in all its workspaces. Above 1,000 jobs it is counted once a minute.',
    {
      jobs: t.integer('Jobs, including paused ones.'),
      monitors: t.integer('Monitors, including paused ones.'),
      results: t.integer('Results that are kept.'),
    },
  ),
  trialEndsAt: t.nullable(
    t.moment('When the trial ends or ended; null for an account without a trial.'),
  ),
});
export type Me = Static<typeof Me>;

function part<T extends TProperties>(description: string, properties: T): TObject<T> {
  return Type.Object(properties, { description });
}
