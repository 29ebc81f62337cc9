/** Examples in the API description: why a job did not run. */

import { run } from '../../api/runs/examples.ts';

export const explanation = {
  at: '2025-10-09T05:30:00.000Z',
  dueAt: '2025-10-09T05:30:00.000Z',
  runId: run.id,
  outcome: 'missed',
  answer:
    'It did not run at Thu 9 Oct 2025 07:30 +02:00: it was missed, because jobd was not running.',
  todo: 'See in the log of jobd, or of what starts it, why it was down. If the call is still needed, replay the run.',
  command: `jobd runs replay 'Send reminders' ${run.id}`,
  facts: [
    {
      kind: 'run',
      sentence:
        'The run was missed: 1 due time, Thu 9 Oct 2025 07:30 +02:00: jobd was not running.',
      isKnown: true,
      runId: run.id,
      at: '2025-10-09T05:30:00.000Z',
      until: '2025-10-09T05:30:00.000Z',
    },
    {
      kind: 'next',
      sentence:
        'It is due next at Fri 10 Oct 2025 07:30 +02:00, in 21 h 30 min. Nothing known stands in its way.',
      isKnown: true,
      at: '2025-10-10T05:30:00.000Z',
    },
  ],
};
