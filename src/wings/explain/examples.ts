/** Examples in the API description: why a job did not run. */

import { run } from '../../api/runs/examples.ts';

export const explanation = {
  at: '2025-10-09T05:30:00.000Z',
  dueAt: '2025-10-09T05:30:00.000Z',
  outcome: 'missed',
  answer:
    'It did not run at Thu 2025-10-09 07:30 +02:00: it was missed, because jobd was not running.',
  facts: [
    {
      kind: 'schedule',
      sentence: 'The schedule is 30 7 * * mon-fri in Europe/Paris: At 07:30, Monday to Friday.',
      isKnown: true,
    },
    {
      kind: 'missed',
      sentence:
        'The run was missed (Thu 2025-10-09 07:30 +02:00): a call over a minute late is not made. The reason recorded is: jobd was not running.',
      isKnown: true,
      runId: run.id,
      at: '2025-10-09T05:30:00.000Z',
      until: '2025-10-09T05:30:00.000Z',
      error: 'missed: 1 due time, 2025-10-09T05:30:00.000Z: jobd was not running',
    },
    {
      kind: 'next',
      sentence:
        'It is due next at Fri 2025-10-10 07:30 +02:00, in 21 h 30 min. Nothing known stands in its way.',
      isKnown: true,
      at: '2025-10-10T05:30:00.000Z',
    },
  ],
};
