/** Secrets are sealed before they are stored, so that a stolen database reveals none; `secrets/` does it. */

import { siteText } from '../targets/target.ts';

/** The part of a job's request that is kept sealed. */
export interface RequestSecrets {
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

/** The tables whose rows have one sealed value each. */
export const sealedTables = [
  'jobs',
  'signing_keys',
  'call_keys',
  'channels',
  'report_keys',
] as const;
export type SealedTable = (typeof sealedTables)[number];

/** Replaces a sealed value that was discarded because its master key was lost. No key opens it. */
export const discarded = 'discarded';

/** The columns of a row that its sealed value is bound to. */
interface Bonds {
  jobs: { id: string; workspaceId: string; url: string };
  channels: { id: string; workspaceId: string };
  signing_keys: { id: string };
  report_keys: { id: string };
  call_keys: { id: string };
}

const placeIn: { [Table in SealedTable]: (row: Bonds[Table]) => string } = {
  jobs: ({ id, workspaceId, url }) => `jobs/${id} ${workspaceId} ${siteText(url)}`,
  channels: ({ id, workspaceId }) => `channels/${id} ${workspaceId}`,
  signing_keys: ({ id }) => `signing_keys/${id}`,
  report_keys: ({ id }) => `report_keys/${id}`,
  call_keys: ({ id }) => `call_keys/${id}`,
};

/**
 * The place of a sealed value: its row, the workspace that owns it, and of a job the scheme, host and port it is sent to.
 * It opens at no other place: somebody who can write the database file can neither move it to another row nor have it
 * sent elsewhere.
 */
export function placeOf<Table extends SealedTable>(table: Table, row: Bonds[Table]): string {
  return placeIn[table](row);
}

/** The row of a place, as `TABLE/ID`, for messages. */
export function rowOf(place: string): string {
  return place.split(' ', 1)[0] ?? place;
}

/** Seals and opens; `place` is made by `placeOf`. */
export interface Vault {
  /** Seals with the master key of this id: the active one, which the store knows. */
  seal(keyId: string, plaintext: string, place: string): string;
  /** Throws `unavailable` if the master key is missing, or the value was not sealed for this place. */
  open(sealed: string, place: string): string;
}
