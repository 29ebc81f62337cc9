/** Other words for commands, as people know them from other programs. Help shows each command under one name. */

const groups: Readonly<Record<string, string>> = {
  job: 'jobs',
  monitor: 'monitors',
  channel: 'channels',
  keys: 'key',
  accounts: 'account',
  workspaces: 'workspace',
  sessions: 'session',
  profiles: 'profile',
  version: '--version',
};

const overTheApi = new Set(['jobs', 'monitors', 'channels', 'runs']);
const actions: Readonly<Record<string, string>> = { ls: 'list', show: 'get', rm: 'delete' };

/** A command line with the names that commands have. */
export function withoutAliases(argv: readonly string[]): string[] {
  const words = [...argv];
  const at = firstWord(words);
  rename(words, words[at] === 'help' ? at + 1 : at);
  return words;
}

function rename(words: string[], at: number): void {
  const given = words[at];
  if (given === undefined) return;
  const group = known(groups, given) ?? given;
  words[at] = group;
  const action = words[at + 1];
  if (action === undefined) return;
  if (overTheApi.has(group)) words[at + 1] = known(actions, action) ?? action;
  else if (action === 'ls') words[at + 1] = 'list';
  else if (action === 'rm' && group === 'key') words[at + 1] = 'revoke';
}

/** The place of the command: behind the program and `--profile`. */
function firstWord(words: readonly string[]): number {
  if (words[2] === '--profile') return 4;
  return words[2]?.startsWith('--profile=') === true ? 3 : 2;
}

function known(
  names: Readonly<Record<string, string>>,
  word: string | undefined,
): string | undefined {
  return word !== undefined && Object.hasOwn(names, word) ? names[word] : undefined;
}
