/** A definition as it was read: what a job should be, and where that stands. */

import type { JobInput } from '../../domain/jobs/job-input.ts';
import { everywhere } from '../../domain/targets/target.ts';
import type { Place } from './place.ts';

export interface Definition {
  key: string;
  place: Place;
  /** The fields as the API takes them, everything filled in. */
  job: JobInput;
  /** The id of a job made by hand that should get the key. */
  adopt: string | undefined;
  /** The URL as it was written, if something was filled in. */
  writtenUrl: string | undefined;
  /** Whether something was filled in to the body. */
  isBodySecret: boolean;
  /** All that was filled in anywhere. */
  secrets: readonly string[];
}

/** What a job is made with where there is no server: which targets may be called is the server's to say. */
export const nowhere = { id: '', workspaceId: '', now: 0, allowTargets: everywhere };

/** The fields of a definition in a file, in the order they are written. */
export const fieldNames = [
  'adopt',
  'name',
  'url',
  'method',
  'headers',
  'body',
  'cron',
  'timezone',
  'every',
  'timeout',
  'retries',
  'paused',
  'notes',
] as const;
export type FieldName = (typeof fieldNames)[number];
