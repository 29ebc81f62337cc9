const jobId = '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90';
const runId = '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63';

export const eventExamples = {
  hello: {
    event: 'hello',
    data: {
      workspaceId: '0199c6a0-1b2c-7d3e-8f40-51627384a5b6',
      version: '0.1.0',
      at: '2025-10-09T04:00:00.000Z',
    },
  },
  changed: {
    event: 'changed',
    data: {
      jobs: [jobId],
      runs: [{ id: runId, jobId, status: 'running' }],
      monitors: [],
      channels: [],
    },
  },
  resync: { event: 'resync', data: {} },
  end: { event: 'end', data: { reason: 'unavailable' } },
};
