/** The log has the changes of the audit trail too: a trail that nobody can change through jobd. */

import type { App } from '../app/app.ts';
import { auditRetention } from '../domain/accounts/audit.ts';
import type { Log } from '../base/log.ts';

/** An actor who continues for hours is told of this often, in milliseconds. */
const toldEveryMs = 60_000;

/** Writes them, and who makes so many that young ones are removed. */
export function createChangeLog(log: Log): App['onChanged'] {
  let toldAt = -Infinity;
  return (entries, shortened = []) => {
    for (const { action, actor, subject, address, forwardedFor, fields, ...more } of entries) {
      const { runId, made } = more;
      const who = { actorType: actor.type, actorId: actor.id, actorName: actor.name };
      const what = { action, subjectId: subject.id, subjectName: subject.name, fields };
      const its = { ...(runId !== undefined && { runId }), ...(made && { made }) };
      log.info({ ...what, ...its, ...who, address, forwardedFor }, 'changed');
    }
    const [actorId] = shortened;
    const now = performance.now();
    if (actorId === undefined || now - toldAt < toldEveryMs) return;
    toldAt = now;
    log.warn(
      { workspaceId: entries[0]?.workspaceId, actorId, youngDays: auditRetention.youngDays },
      'somebody changes so much that young entries of the audit trail are removed: revoke the key, or slow down what uses it',
    );
  };
}
