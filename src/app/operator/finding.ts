/** What a check of the doctor found. */

/** The result of one check. */
export interface Finding {
  check: string;
  /** `fail`: jobd does not work, or loses something; `warn`: an operator should read the detail. */
  result: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What belongs to the detail, a line each: places, remedies. */
  notes: readonly string[];
}

/** A finding without its name. */
export type Result = Omit<Finding, 'check'>;

/** All is well. */
export const ok = (detail: string): Result => ({ result: 'ok', detail, notes: [] });
/** An operator should know. */
export const warn = (detail: string, notes: readonly string[] = []): Result => {
  return { result: 'warn', detail, notes };
};
/** It does not work. */
export const fail = (detail: string, notes: readonly string[] = []): Result => {
  return { result: 'fail', detail, notes };
};
