/** The contract of what a key may learn of itself, an extension. */

import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import { permissions } from '../../domain/accounts/key.ts';
import { planNames } from '../../domain/accounts/plan.ts';
import * as examples from '../description/examples.ts';
import { id, integer, moment, nullable, oneOf, text } from '../http/schema.ts';

function part<T extends TProperties>(description: string, properties: T): TObject<T> {
  return Type.Object(properties, { description });
}

/** Whom a key stands for, what the plan allows, and what is used of it. */
export const Me = Type.Object(
  {
    workspace: part('The workspace that the key reaches.', {
      id: id('The id of the workspace.'),
      name: text('What the workspace is called.'),
    }),
    permission: oneOf(permissions, { description: 'Whether the key may only read.' }),
    plan: part('What the account may have. A limit that does not exist is null.', {
      name: oneOf(planNames, { description: 'The plan of the account.' }),
      jobs: nullable(integer('Jobs and monitors together, paused ones too.')),
      minIntervalSeconds: integer('Seconds between two due times of one schedule, at least.'),
      maxTimeoutSeconds: integer('Seconds that one attempt may take, at most.'),
      results: integer('Results kept, of all jobs together.'),
      retentionDays: integer('Days that a result is kept.'),
    }),
    usage: part(
      'What the account uses, in all its workspaces. Counted once a minute if it has over 1,000 jobs.',
      {
        jobs: integer('Jobs, paused ones too.'),
        monitors: integer('Monitors, paused ones too.'),
        results: integer('Results that are kept.'),
      },
    ),
    trialEndsAt: nullable(
      moment('When the trial ends, or ended; null for an account without a trial.'),
    ),
  },
  { title: 'Me', description: 'Whom a key stands for.', examples: [examples.me] },
);
export type Me = Static<typeof Me>;
