/** Jobs, monitors and channels in files: `jobd export`, `diff`, `apply`, `schema` and `import`. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.commands({
    heading: 'files',
    names: ['export', 'diff', 'apply', 'schema'],
    load: async () => (await import('./client/commands.ts')).addDefinitionCommands,
  });
  house.commands({
    heading: 'files',
    names: ['import'],
    load: async () => (await import('./client/commands.ts')).addImportCommands,
  });
  house.operations(async () => (await import('./api/routes.ts')).definitionRoutes);
}
