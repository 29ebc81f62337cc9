/** `jobd login`, `jobd logout` and `jobd profile`: which server is asked, and with which key. */

import type { Command } from 'commander';
import type { Me } from '../../api/accounts/me-contract.ts';
import { defaultServerUrl, loginUrl } from '../../config.ts';
import type { Flags } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import { profileNamed, readProfiles, writeProfiles } from '../../profiles.ts';
import type { Profiles } from '../../profiles.ts';
import { askKey } from '../terminal/ask-key.ts';
import { createAsker } from './client.ts';
import type { Context } from '../context.ts';
import { settings } from './settings.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';

/** Adds the commands. */
export function addLoginCommands(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('login')
    .description('keep a server and a key, read from standard input, in a profile')
    .option('--url <url>', `site URL of the server (default JOBD_URL, else ${defaultServerUrl})`)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd login --url https://jobs.example.com\n' +
        '  jobd key create --name laptop | jobd login\n' +
        '  jobd login --profile staging --url https://staging.example.com < key.txt\n' +
        '\nThe key is checked, and kept in a file that only you may read. On a terminal it\n' +
        'is asked for, and not shown.',
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
      const told = { profile: name, url, workspace: workspace.name, permission };
      if (flags['json']) printJson(output, told);
      else printFields(output, told);
      output.say(`kept in ${file}`);
    });

  program
    .command('logout')
    .description('forget the server and the key of a profile; the key stays valid')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd logout --profile staging')
    .action((flags: Flags) => {
      const { profilesFile: file, profile } = settings();
      const kept = readProfiles(file);
      const name = profile ?? kept.current;
      requireName(kept, name);
      const { [name]: _, ...profiles } = kept.profiles;
      writeProfiles(file, { ...kept, profiles });
      if (flags['json']) printJson(output, { ok: true });
      else output.say(`forgot ${plain(name)}`);
    });

  addProfileCommands(program, context);
}

function addProfileCommands(program: Command, { output }: Context): void {
  const profile = program.command('profile').description('list and choose what jobd login kept');
  profile
    .command('list')
    .description('list the profiles, never their keys')
    .option('--json', 'print one JSON document')
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
        { none: 'there are no profiles, jobd login makes one' },
      );
    });

  profile
    .command('use')
    .argument('<name>', 'name of the profile')
    .description('ask the server of this profile from now on')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd profile use staging')
    .action((name: string, flags: Flags) => {
      const { profilesFile: file } = settings();
      const kept = readProfiles(file);
      requireName(kept, name);
      writeProfiles(file, { ...kept, current: name });
      if (flags['json']) printJson(output, { ok: true });
      else output.say(`${plain(name)} is used from now on`);
    });
}

function requireName(kept: Profiles, name: string): void {
  if (profileNamed(kept, name) === undefined) {
    throw new JobdError('not_found', `there is no profile ${name}`);
  }
}
