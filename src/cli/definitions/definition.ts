/** A definition as it was read: what a job should be, and where that is written. */

import type { JobInput } from '../../domain/jobs/job-input.ts';
import { everywhere } from '../../domain/targets/target.ts';
import type { Place } from './parse-file.ts';

export interface Definition {
  key: string;
  place: Place;
  /** The fields as the API takes them, with every reference filled in. */
  job: JobInput;
  /** The id of a job made by hand that should get the key. */
  adopt: string | undefined;
  /** The URL as it was written, if a reference was filled in. */
  writtenUrl: string | undefined;
  /** Whether a reference was filled in to the body. */
  isBodySecret: boolean;
  /** All values that were filled in. */
  secrets: readonly string[];
}

/** A job is checked with this where there is no server: only the server knows which targets are allowed. */
export const nowhere = { id: '', workspaceId: '', now: 0, allowTargets: everywhere };

/** The fields of a definition in a file, in the order they are written, and their names in the API. */
export const fileFields = {
  adopt: 'adopt',
  name: 'name',
  url: 'url',
  method: 'method',
  headers: 'headers',
  body: 'body',
  cron: 'cronExpr',
  timezone: 'timezone',
  every: 'periodSeconds',
  timeout: 'timeoutSeconds',
  retries: 'retries',
  paused: 'paused',
  notes: 'notes',
} as const;
export type FieldName = keyof typeof fileFields;
export const fieldNames = Object.keys(fileFields) as FieldName[];
