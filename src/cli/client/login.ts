/** `jobd login`, `jobd logout` and `jobd profile`: the server and the key that commands use. */

import type { Command } from 'commander';
import type { Me } from '../../api/accounts/contract.ts';
import { defaultServerUrl, loginUrl, type Flags } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import { profileNamed, readProfiles, writeProfiles, type Profiles } from './profiles.ts';
import { askKey } from '../terminal/prompt.ts';
import { createAsker, fieldOf } from './client.ts';
import type { Context } from '../context.ts';
import { profilesFile, settings } from './settings.ts';
import { printDone, printFields, printJson, printRows, type Output } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { forgetKey, keepKey, keptKey } from './unchecked-key.ts';

/** Finds the URL of the server of this machine; null if nothing is known of one. */
export type FindSite = (output: Output) => Promise<string | null>;

/** Adds the commands. */
export function addLoginCommands(program: Command, context: Context, findSite: FindSite): void {
  const { output } = context;
  program
    .command('login')
    .description('save a server and an API key, read from standard input, as a profile')
    .option('--url <url>', 'URL of the server (default JOBD_URL, else the one of this machine)')
    .option('--kept', 'use the key of an earlier login that failed')
    .addHelpText(
      'after',
      `
Examples:
  jobd login --url https://jobs.example.com
  jobd key create --name laptop | jobd login
  jobd login --profile staging --url https://staging.example.com < key.txt

The key is checked with the server, and saved in a file that only you can read.
On a terminal, jobd asks for it and does not show it. If the check fails, the
key is kept in a file of its own, for jobd login --kept.`,
    )
    .action(async (flags: Flags) => {
      const given = flags['url'];
      const [file, { profile }] = [profilesFile(), settings()];
      const chosen = loginUrl(typeof given === 'string' ? given : undefined);
      const apiKey = flags['kept'] === true ? keptKey(file) : await askKey();
      const url = chosen ?? (await findSite(output)) ?? defaultServerUrl;
      const me = await ownerOf({ url, apiKey }, file);
      const kept = readProfiles(file);
      const name = profile ?? kept.current;
      const before = profileNamed(kept, name);
      if (profile === null && before !== undefined && before.url !== url) {
        throw otherServer(name, before.url, keepKey(file, apiKey));
      }
      const profiles = { ...kept.profiles, [name]: { url, apiKey } };
      writeProfiles(file, { current: name, profiles });
      forgetKey(file);
      const { workspace, permission } = me;
      const shown = { profile: name, url, workspace: workspace.name, permission };
      if (flags['json']) printJson(output, shown);
      else printFields(output, shown);
      const replaced = before === undefined ? '' : `, in place of a key for ${plain(before.url)}`;
      output.say(`saved in ${file}${replaced}`);
    });

  program
    .command('logout')
    .description('delete a profile; its key stays valid on the server')
    .addHelpText('after', '\nExample:\n  jobd logout --profile staging')
    .action((flags: Flags) => {
      const [file, { profile }] = [profilesFile(), settings()];
      const kept = readProfiles(file);
      const name = profile ?? kept.current;
      requireName(kept, name);
      const { [name]: _, ...profiles } = kept.profiles;
      writeProfiles(file, { ...kept, profiles });
      printDone(output, flags, `deleted profile ${plain(name)}`);
    });

  addProfileCommands(program, context);
}

/** A profile that nobody named has the key of another server, which may be the only copy. */
function otherServer(name: string, url: string, note: string): JobdError {
  const sentence = `the profile ${name} is for ${plain(url)}: name another one with --profile, or this one to replace its key`;
  return new JobdError('conflict', sentence, { notes: [note] });
}

/** Asks the server whose key it is. If that fails, the key is kept, and the error says so. */
async function ownerOf(server: { url: string; apiKey: string }, file: string): Promise<Me> {
  try {
    const me = await createAsker(server)<Me>('GET', '/me');
    fieldOf(fieldOf(me, 'workspace'), 'name');
    return me;
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const { code, message, retryAfterSeconds, notes } = error;
    throw new JobdError(code, message, {
      cause: error,
      retryAfterSeconds,
      notes: [...notes, keepKey(file, server.apiKey)],
    });
  }
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
      const file = profilesFile();
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
