/** The dependencies of use cases, without an engine. */

import { createAdmissions } from '../../../src/app/accounts/admissions.ts';
import { createAuthenticate } from '../../../src/app/accounts/authenticate.ts';
import type { App } from '../../../src/app/app.ts';
import { createEvents } from '../../../src/app/events.ts';
import { createHeldJobs } from '../../../src/app/jobs/held-jobs.ts';
import { reportTokens } from '../../../src/secrets/report-tokens.ts';
import { testVault } from '../fakes/vault.ts';

const nothing = new Uint8Array();

/** An app on this store and clock that calls nothing and signs nothing. */
export function quietApp(parts: Pick<App, 'store' | 'clock'> & Partial<App>): App {
  const authenticate = createAuthenticate(parts);
  return {
    vault: testVault,
    allowTargets: [],
    judgeTarget: async () => ({ kind: 'allowed' }),
    slots: { all: 256, perHost: 16 },
    mailAllow: [],
    mailWaitMs: async () => 0,
    wake: () => {},
    holdJob: createHeldJobs(() => {}).hold,
    reportTokens: reportTokens('test'),
    noteUse: () => {},
    authenticate,
    admissions: createAdmissions({ ...parts, authenticate }),
    instance: { id: '00000000', version: '0', startedAt: 0, dataDir: '', mailIsConfigured: true },
    onChanged: () => {},
    events: createEvents({ clock: parts.clock, version: '0.0.0', mostStreams: 0 }),
    isSigning: false,
    signReceiptsOf: async () => {},
    verifyScript: async () => '',
    pageFile: async () => nothing,
    lateness: async () => ({ windowSeconds: 3_600, p50Ms: null, p99Ms: null, maxMs: null }),
    health: { ask: async () => ({ problems: [], notes: [], since: null }), problems: () => [] },
    trouble: () => null,
    space: { causes: () => [], isExhausted: () => false, limitBytes: null },
    ...parts,
  };
}
