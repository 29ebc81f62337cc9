/** Encryption of backups, for commands: they give recipients or identities, and know nothing else of it. */

export { encryptFor, parseIdentities } from './age.ts';
export type { Encrypt, Identities } from './age.ts';
