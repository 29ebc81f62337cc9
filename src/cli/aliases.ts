/** Other words for commands, as people know them from other programs. Help shows each command under one name. */

const groups = new Map([
  ['job', 'jobs'],
  ['monitor', 'monitors'],
  ['channel', 'channels'],
  ['window', 'windows'],
  ['keys', 'key'],
  ['accounts', 'account'],
  ['workspaces', 'workspace'],
  ['sessions', 'session'],
  ['profiles', 'profile'],
  ['version', '--version'],
]);

const overTheApi = new Set(['jobs', 'monitors', 'channels', 'windows', 'badges', 'runs']);
const actions = new Map([
  ['ls', 'list'],
  ['show', 'get'],
  ['rm', 'delete'],
]);

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
  const group = groups.get(given) ?? given;
  words[at] = group;
  const action = words[at + 1];
  if (action === undefined) return;
  if (overTheApi.has(group)) words[at + 1] = actions.get(action) ?? action;
  else if (action === 'ls') words[at + 1] = 'list';
  else if (action === 'rm' && group === 'key') words[at + 1] = 'revoke';
}

/** The place of the command: behind the program and `--profile`. */
function firstWord(words: readonly string[]): number {
  if (words[2] === '--profile') return 4;
  return words[2]?.startsWith('--profile=') === true ? 3 : 2;
}
