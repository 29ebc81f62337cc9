/** Jobs, monitors and channels in files: `jobd export`, `diff`, `apply`, `schema` and `import`. */

import type { Wing } from '../../serve/house.ts';

export const definitions: Wing = {
  commands: [
    {
      heading: 'files',
      names: ['export', 'diff', 'apply', 'schema'],
      load: async () => (await import('./client/commands.ts')).addDefinitionCommands,
    },
    {
      heading: 'files',
      names: ['import'],
      load: async () => (await import('./client/commands.ts')).addImportCommands,
    },
  ],
  operations: async () => (await import('./server/routes.ts')).definitionRoutes,
};
