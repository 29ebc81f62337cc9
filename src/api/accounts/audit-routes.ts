import { listAudit } from '../../app/accounts/audit.ts';
import type { AccessApp } from '../../app/app.ts';
import type { KeptAuditEntry } from '../../domain/accounts/audit.ts';
import { isoTime } from '../../domain/clock.ts';
import { describe } from '../description/operation.ts';
import { pageRequest } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { AuditList, AuditQuery, type AuditEntry } from './contract.ts';

const operations = describe(
  { tag: 'Account', isExtension: true },
  {
    listAudit: {
      summary: 'List who changed what',
      description:
        'Returns the changes that keys, sessions and commands made in the workspace, newest first. They are kept for 400 ' +
        'days. Values of fields are never part of it.',
      querystring: AuditQuery,
      response: { 200: AuditList },
      answer: 'A page of changes.',
      needsWrite: true,
    },
  },
);

/** Adds the route. */
export function auditRoutes(server: ApiServer, app: AccessApp): void {
  server.get('/audit', operations.listAudit, async ({ principal, query }) => {
    const { subject = null, actor = null, action = null } = query;
    // Ids may be written in upper case.
    const filter = { subject: subject?.toLowerCase() ?? null, actor, action };
    const found = await listAudit(app, principal, filter, pageRequest(query));
    const { items, nextCursor, isPartial } = found;
    return { entries: items.map(auditEntryShape), nextCursor, isPartial };
  });
}

function auditEntryShape(entry: KeptAuditEntry): AuditEntry {
  const { number, at, actor, address, forwardedFor, action, subject, fields, count, runId } = entry;
  const from = { address, forwardedFor };
  const run = runId !== undefined && { runId };
  const what = { action, subject, fields: [...fields], count, ...run };
  return { number, at: isoTime(at), actor, ...from, ...what };
}
