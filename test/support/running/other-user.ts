/** Why a test that acts as another user is left out. */
export const notRoot = process.getuid?.() === 0 ? false : 'only root can act as another user';

/** The user `nobody`, by convention. */
export const nobody = 65_534;
