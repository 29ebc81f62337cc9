import type { ChangeFeed } from '../../../src/domain/changes.ts';

/** A feed that nobody listens to. */
export const unheard: ChangeFeed = { isHeard: false, publish() {}, publishAll() {} };
