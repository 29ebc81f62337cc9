/** Routes that describe the key of the request, and the daemon. */

import type { DaemonApp } from '../../app/app.ts';
import { createMe } from '../../app/accounts/me.ts';
import type { Finding } from '../../domain/findings.ts';
import { nodeTimes, type NodeInRole } from '../../app/operator/nodes.ts';
import { createAbout } from '../../app/operator/about.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { describe, forOwners } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { About, Me, type AboutFinding, type AboutNode } from './contract.ts';

const operations = describe(
  { tag: 'Account', isExtension: true },
  {
    getMe: {
      summary: 'Get the key, its workspace and its plan',
      description:
        "Returns the key's workspace and permission, the limits of the account's plan, and the current usage. It works after " +
        'the trial has ended, too.',
      response: { 200: Me },
      answer: 'The key, its workspace and its plan.',
    },
    getAbout: {
      summary: 'Get facts about the daemon',
      description:
        'Returns what the settings page shows to the operator. Only for sessions of the owner: `jobd open` starts one.',
      response: { 200: About },
      answer: 'The facts.',
      failures: { 403: forOwners('see this') },
    },
  },
);

/** Adds the routes. */
export function accountRoutes(server: ApiServer, app: DaemonApp): void {
  const getMe = createMe(app);
  server.get('/me', operations.getMe, async ({ principal }) => {
    const { expiresAt, trialEndsAt, ...me } = await getMe(principal);
    const times = { expiresAt: isoTimeOrNull(expiresAt), trialEndsAt: isoTimeOrNull(trialEndsAt) };
    return { ...me, ...times };
  });

  const getAbout = createAbout(app);
  server.get('/about', operations.getAbout, async ({ principal }) => {
    const about = await getAbout(principal);
    const lastRemovedAt = isoTimeOrNull(about.space.lastRemovedAt);
    return {
      ...about,
      startedAt: isoTime(about.startedAt),
      space: { ...about.space, lastRemovedAt },
      ledger: about.ledger && { ...about.ledger, checkedAt: isoTime(about.ledger.checkedAt) },
      findings: about.findings.map(findingOf),
      nodes: about.nodes.map(nodeOf),
    };
  });
}

function findingOf({ code, result, detail, notes }: Finding): AboutFinding {
  const severity = result === 'fail' ? 'fail' : 'warn';
  return { code: String(code), result: severity, detail, notes: [...notes] };
}

function nodeOf(node: NodeInRole): AboutNode {
  const { id, host, pid, role, version, clockLeadMs, calls, slots } = node;
  return { id, host, pid, role, version, ...nodeTimes(node), clockLeadMs, calls, slots };
}
