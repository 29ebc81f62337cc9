import { Type, type Static } from 'typebox';
import { explainedOutcomes, factKinds } from './facts.ts';
import * as t from '../../api/http/schema.ts';
import * as examples from './examples.ts';

export const ExplanationQuery = t.query({
  at: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'The time to explain: in RFC 3339, or as the clocks in the zone of the job (of the first job of its chain) show it, such as `2026-11-24 02:30`, or ' +
        '`02:30` for the last time they did. The newest due time if it is left out.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The IANA zone in which `at` is read and times are written. Default: that of the job.',
      examples: ['Europe/Paris'],
    }),
  ),
  runId: Type.Optional(
    Type.String({ maxLength: 40, description: 'The run to explain, instead of a time.' }),
  ),
});

const [fact = {}] = examples.explanation.facts;
const Fact = t.output('ExplainedFact', 'One fact. It has only the values that it is about.', fact, {
  kind: t.oneOf(factKinds, 'What it is about.'),
  sentence: t.text('The fact in a sentence.'),
  isKnown: t.flag('False if the sentence says that something is not known.'),
  ...t.optional({
    at: t.moment('When it happened, began or is due.'),
    until: t.moment('When it ended.'),
    runId: t.id('The run that it is about.'),
    channelId: t.id('The channel of an alert.'),
  }),
});

export const JobExplanation = t.output(
  'JobExplanation',
  'Why a job ran, did not run or ran late.',
  examples.explanation,
  {
    at: t.moment('The time that was asked about.'),
    dueAt: t.momentOrNull('The due time that is explained; null if there is none.'),
    runId: t.idOrNull('The run that is explained; null if there is none.'),
    outcome: t.oneOf(
      explainedOutcomes,
      'What became of it; `not_due` for a time that is no due time.',
    ),
    answer: t.text('What happened and why, in a sentence or two.'),
    todo: t.textOrNull('What can be done about it; null if nothing needs to be.'),
    command: t.textOrNull(
      'The command line of jobd that calls once more; null if `todo` has no such advice.',
    ),
    facts: t.array(
      Fact,
      'What is behind it: what was asked, then what happened, then what holds now.',
    ),
  },
);
export type JobExplanation = Static<typeof JobExplanation>;
