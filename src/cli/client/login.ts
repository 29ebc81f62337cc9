/** `jobd login`, `jobd logout` and `jobd profile`: the server and the key that commands use. */

import type { Command } from 'commander';
import type { Me } from '../../api/accounts/contract.ts';
import { defaultServerUrl, loginUrl } from '../../config.ts';
import type { Flags } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import { profileNamed, readProfiles, writeProfiles } from '../../profiles.ts';
import type { Profiles } from '../../profiles.ts';
import { askKey } from '../terminal/prompt.ts';
import { createAsker } from './client.ts';
import type { Context } from '../context.ts';
import { settings } from './settings.ts';
import { printDone, printFields, printJson, printRows } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';

/** Adds the commands. */
export function addLoginCommands(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('login')
    .description('save a server and an API key, read from standard input, as a profile')
    .option('--url <url>', `URL of the server (default JOBD_URL, else ${defaultServerUrl})`)
    .addHelpText(
      'after',
      `
Examples:
  jobd login --url https://jobs.example.com
  jobd key create --name laptop | jobd login
  jobd login --profile staging --url https://staging.example.com < key.txt

The key is checked with the server, and saved in a file that only you can read.
On a terminal, jobd asks for it and does not show it.`,
    )
    .action(async (flags: Flags) => {
      const given = flags['url'];
      const url = loginUrl(typeof given === 'string' ? given : undefined);
      const apiKey = await askKey();
      const me = await createAsker({ url, apiKey })<Me>('GET', '/me');
      const { profilesFile: file, profile } = settings();
      const kept = readProfiles(file);
      const name = profile ?? kept.current;
      writeProfiles(file, {
        current: name,
        profiles: { ...kept.profiles, [name]: { url, apiKey } },
      });
      const { workspace, permission } = me;
      const shown = { profile: name, url, workspace: workspace.name, permission };
      if (flags['json']) printJson(output, shown);
      else printFields(output, shown);
      output.say(`saved in ${file}`);
    });

  program
    .command('logout')
    .description('delete a profile; its key stays valid on the server')
    .addHelpText('after', '\nExample:\n  jobd logout --profile staging')
    .action((flags: Flags) => {
      const { profilesFile: file, profile } = settings();
      const kept = readProfiles(file);
      const name = profile ?? kept.current;
      requireName(kept, name);
      const { [name]: _, ...profiles } = kept.profiles;
      writeProfiles(file, { ...kept, profiles });
      printDone(output, flags, `deleted profile ${plain(name)}`);
    });

  addProfileCommands(program, context);
}

function addProfileCommands(program: Command, { output }: Context): void {
  const profile = program.command('profile').description('list and choose profiles');
  profile
    .command('list')
    .description('list the profiles, without their keys')
    .addHelpText('after', '\nExample:\n  jobd profile list')
    .action((flags: Flags) => {
      const { current, profiles } = readProfiles(settings().profilesFile);
      const found = Object.entries(profiles).map(([name, { url }]) => ({
        name,
        url,
        isCurrent: name === current,
      }));
      if (flags['json']) return printJson(output, { profiles: found });
      printRows(
        output,
        found,
        {
          name: ({ name }) => name,
          url: ({ url }) => url,
          current: ({ isCurrent }) => (isCurrent ? 'yes' : 'no'),
        },
        { none: 'there are no profiles; create one with jobd login' },
      );
    });

  profile
    .command('use')
    .argument('<name>', 'name of the profile')
    .description('make this the current profile')
    .addHelpText('after', '\nExample:\n  jobd profile use staging')
    .action((name: string, flags: Flags) => {
      const { profilesFile: file } = settings();
      const kept = readProfiles(file);
      requireName(kept, name);
      writeProfiles(file, { ...kept, current: name });
      printDone(output, flags, `the current profile is ${plain(name)}`);
    });
}

function requireName(kept: Profiles, name: string): void {
  if (profileNamed(kept, name) === undefined) {
    throw new JobdError('not_found', `there is no profile ${name}; jobd profile list shows them`);
  }
}
