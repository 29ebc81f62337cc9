/** In place of `local.ts` and `local-wings.ts` where jobd only talks to a server: on macOS, Windows, and Linux without the executable. */

import { JobdError } from '../domain/errors.ts';
import type * as local from './local.ts';
import type { localWings as wings } from './local-wings.ts';

/** Words that are refused, of wings too. */
const refused =
  'serve open key session account workspace signing-key call-key secrets doctor nodes self-test backup restore migrate-store upgrade'.split(
    ' ',
  );

/** Refuses each command in a sentence, whatever its options are. */
export const localCommands: typeof local.localCommands = refused.map((name) => ({
  heading: 'operate',
  names: [name],
  load: async () => (program) => {
    program
      .command(name, { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new JobdError('usage', `jobd ${name} ${whyNotHere(process)}`, {
          notes: ['here jobd talks to a server that runs elsewhere: jobd login --url URL'],
        });
      });
  },
}));

/** They are of use to a server alone. */
export const localWings: typeof wings = [];

/** Nobody knows a server of this machine. */
export const findSiteHere: typeof local.findSiteHere = async () => null;

/** Why a command does not run on this machine, as the end of a sentence. */
export function whyNotHere({ platform, arch, report }: Machine): string {
  if (platform !== 'linux' || !['x64', 'arm64'].includes(arch)) {
    return `needs Linux with x64 or arm64, this is ${platform}-${arch}`;
  }
  report.excludeNetwork = true;
  const { header } = report.getReport() as { header: { glibcVersionRuntime?: string } };
  if (header.glibcVersionRuntime === undefined) {
    return 'needs Linux with glibc: Alpine and other musl systems are not supported';
  }
  return `needs the package @jobd/linux-${arch}, which npm has not installed: is it in your registry, and are optional dependencies on?`;
}

/** What `process` says about a machine. */
export interface Machine {
  platform: string;
  arch: string;
  report: { excludeNetwork?: boolean; getReport(): object };
}
