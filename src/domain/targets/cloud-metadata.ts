/** The metadata services of clouds: whoever may call one gets the credentials of the machine. */

/** What the table of addresses (`address.ts`) calls those of metadata services. Clouds choose addresses of the link for them. */
export const cloudMetadata = 'cloud metadata';
export const linkLocal = 'link-local';
export const linkLocalMetadata = `${linkLocal}, ${cloudMetadata}`;
export const azureMetadata = `Azure's platform, ${cloudMetadata}`;

/** The names of blocks whose addresses are, or may be, those of a metadata service. */
export const metadataBlocks: ReadonlySet<string> = new Set([
  cloudMetadata,
  linkLocal,
  linkLocalMetadata,
  azureMetadata,
]);

/** What people are told about such a refusal, instead of how to allow the address. A sentence without a full stop. */
export const refusedOnPurpose =
  'refused on purpose: the metadata service of a cloud hands out credentials of the server there';
