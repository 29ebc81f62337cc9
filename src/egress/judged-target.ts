/** What the address rule says of a target without a call: its name is looked up and its addresses judged; nothing is sent. */

import type { FailureReason } from '../domain/runs/outcome.ts';
import type { AllowedTarget } from '../domain/targets/target.ts';
import { Deadline, DeadlineOver } from './deadline.ts';
import { LocalTrouble } from './failure.ts';
import { createResolver, type Resolve } from './resolve.ts';
import { createRouter } from './route.ts';

/** A person waits for it. */
const timeoutMs = 2_000;

/** The verdict on a URL; null if this machine could not find it out, or not in time. */
export type Judgement =
  | { kind: 'allowed' }
  | { kind: 'refused'; reason: FailureReason; detail: string }
  | null;

/** Makes the judge for these allow entries. */
export function createTargetJudge(
  allow: readonly AllowedTarget[],
  resolve: Resolve = createResolver(),
): (url: string) => Promise<Judgement> {
  const router = createRouter(allow, resolve);
  return async (url) => {
    const route = router.route(url);
    if ('failure' in route) return refused(route.failure);
    const deadline = new Deadline({ timeoutMs });
    try {
      const judged = await router.addresses(route.site, deadline);
      return 'failure' in judged ? refused(judged.failure) : { kind: 'allowed' };
    } catch (error) {
      if (error instanceof DeadlineOver || error instanceof LocalTrouble) return null;
      throw error;
    } finally {
      deadline.stop();
    }
  };
}

function refused({ reason, detail }: { reason: FailureReason; detail: string }): Judgement {
  return { kind: 'refused', reason, detail };
}
