/** Services that have one address in the United States and one in Europe. */

import { checkForm, type ConfigField } from './kind.ts';

/** The region of an account. */
export const region: ConfigField = {
  description: 'where the account is: `us` (default) or `eu`',
  isOptional: true,
  given: 'typed',
  check: checkForm(/^(?:us|eu)$/, 'us or eu', { isShown: true }),
};
