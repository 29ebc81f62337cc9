/**
 * What adjusts when a job is due, besides its schedule (docs/behavior.md#spread-1). It is kept as one text, null for most jobs, in
 * the job and in its spans; `scheduleOf` alone reads it, so that only jobs with adjustments pay for them.
 */

import { valuesIn, type ValuesOf } from '../fields.ts';
import { adjustmentFields } from './fields.ts';

/** What people set. */
export type AdjustmentFields = ValuesOf<typeof adjustmentFields>;

/** What is kept: only what is set. */
export interface Adjustments extends Partial<AdjustmentFields> {
  /**
   * By how much due times are later, from 0 to `spreadSeconds`. It is kept, so that no later version moves a job. With `runAt`, by
   * how much that was past when it was set.
   */
  offsetSeconds?: number;
}

/** Nothing is set. */
export const none: AdjustmentFields = {
  spreadSeconds: null,
  notBefore: null,
  notAfter: null,
  runAt: null,
};

/** What a kept text says. */
export function adjustmentsIn(text: string | null): Adjustments {
  return text === null ? {} : (JSON.parse(text) as Adjustments);
}

/** The fields that a kept text stands for. */
export function adjustmentFieldsIn(text: string | null): AdjustmentFields {
  return text === null ? none : { ...none, ...valuesIn(adjustmentFields, adjustmentsIn(text)) };
}
