/** What the address rule says of the URL now; null if it could not be found out in time. */
export type TargetVerdict =
  | { kind: 'allowed' }
  | { kind: 'refused'; reason: string; detail: string }
  | null;
