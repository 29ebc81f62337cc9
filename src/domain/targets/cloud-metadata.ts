/** The metadata services of clouds: whoever may call one gets the credentials of the machine. */

/** What the table of addresses calls them (`address.ts`), so that the reason of a refusal says it. */
export const cloudMetadata = 'cloud metadata';

/** What people are told about such a refusal, instead of how to allow the address. A sentence without a full stop. */
export const refusedOnPurpose =
  'refused on purpose: the metadata service of a cloud hands out credentials of the server there';

/**
 * Whether an address was refused because it is, or may be, that of a metadata service: `reason` is that of the refusal, alone
 * or within a sentence. Clouds choose addresses of the link for them.
 */
export function isCloudMetadata(reason: string): boolean {
  return reason.includes(cloudMetadata) || reason.includes('link-local');
}
