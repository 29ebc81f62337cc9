/** Examples in the API description: a run whose target reports after an answer of 202. */

export const report = {
  expiresAt: '2025-10-09T07:30:00.626Z',
  percent: 40,
  line: 'copying',
  progressAt: '2025-10-09T05:41:12.040Z',
  outcome: null,
  reportedAt: null,
  reportedBy: null,
  message: null,
};

export const progress = { status: 'progress', percent: 40, message: 'copying' };
export const endOfWait = { status: 'failed', message: 'the worker is gone' };

export const token = 'AZnG9IHQfDWOax9NmitMYwIi4tUjw0c5H9x1mCq7mJxw3yX0b2kqf0V1aZr8uT5n';
export const over =
  'run 0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63 is over: it ended as success at 2025-10-09T05:52:00.000Z';
