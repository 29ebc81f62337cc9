/** Shell completion scripts, made from the commands. */

import { quoted } from '../../domain/quote.ts';
import { allCommands, type CommandNode, type OptionNode } from './command-tree.ts';

export type Shell = keyof typeof scripts;

/** What can follow a command: words with their meaning, options, and names from the server. */
interface Stage {
  path: string;
  words: readonly (readonly [word: string, means: string])[];
  options: readonly (Pick<OptionNode, 'flags' | 'long' | 'takesValue' | 'description'> & Listed)[];
  /** Of the argument. */
  lister: string | null;
}

interface Listed {
  /** The shell command that lists what can be given; null if there is none. */
  lister: string | null;
}

/** Makes the script for a shell. */
export function completionScript(shell: Shell, tree: CommandNode): string {
  const stages = allCommands(tree).map(stageOf);
  return scripts[shell](stages);
}

const scripts = { bash, zsh, fish };

/** What lists the names for an argument or the value of an option. */
const listers: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['job', 'monitor', 'channel'].map((one) => [one, `jobd ${one}s list 2>/dev/null | cut -f1`]),
  ),
  zone: '_jobd_zones',
};

/** The same in each shell: what the lister of zones does. */
function printZones(): string {
  return `printf '%s\\n' ${['UTC', ...Intl.supportedValuesOf('timeZone')].join(' ')}`;
}

function stageOf({ path, children, options, args }: CommandNode): Stage {
  const choices = args[0]?.choices ?? [];
  return {
    path: path.map((word) => ` ${word}`).join(''),
    words: [
      ...children.map((child) => [child.path.at(-1) ?? '', child.description] as const),
      ...choices.map((choice) => [choice, ''] as const),
    ],
    options: [...options, helpOption].map((option) => ({
      ...option,
      lister: listers[/<([^<>]+)>/.exec(option.flags)?.[1] ?? ''] ?? null,
    })),
    lister: listers[args[0]?.name ?? ''] ?? null,
  };
}

const helpOption = { flags: '--help', long: 'help', description: 'show help', takesValue: false };

/** The paths of all commands, quoted. */
function steps(stages: readonly Stage[]): string[] {
  return stages.flatMap(({ path }) => (path === '' ? [] : [quoted(path)]));
}

/** The cases of a shell for the word before the cursor: options whose values can be listed, and what takes the list. */
function valueCases(stages: readonly Stage[], take: (lister: string) => string): string {
  const options = stages.flatMap((stage) => stage.options);
  const listed = Map.groupBy(options, ({ lister }) => lister);
  return [...listed]
    .flatMap(([lister, of]) => {
      const names = new Set(of.map(({ long }) => `--${long}`));
      return lister === null ? [] : [`    ${[...names].join('|')}) ${take(lister)} ;;`];
    })
    .join('\n');
}

function bash(stages: readonly Stage[]): string {
  const cases = stages.map(({ path, words, options, lister }) => {
    const flags = options.map(({ long }) => `--${long}`).join('\n');
    const names = words.map(([word]) => word).join('\n');
    const found = lister === null ? '' : `; found=$(${lister})`;
    return `    ${quoted(path)}) flags=${quoted(flags)}; found=${quoted(names)}${found} ;;`;
  });
  return `# Completion of jobd in bash: source <(jobd completion bash)
_jobd_zones() { ${printZones()}; }
_jobd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' flags='' found='' name i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${steps(stages).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  case \${COMP_WORDS[COMP_CWORD-1]} in
${valueCases(stages, (lister) => `found=$(${lister})`)}
  esac
  [[ $cur == -* ]] && found=$flags
  # Not compgen -W: it would run commands in the name of a job.
  while IFS= read -r name; do
    [[ -n $name && $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")")
  done <<< "$found"
}
complete -o default -F _jobd jobd
`;
}

/** A word and its meaning, in the form of _describe of zsh. */
function described(word: string, means: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}${means === '' ? '' : `:${means}`}`);
}

function zsh(stages: readonly Stage[]): string {
  const cases = stages.map(({ path, words, options, lister }) => {
    const flags = options.map(({ long, description }) => described(`--${long}`, description));
    const names = words.map(([word, means]) => described(word, means));
    const found = lister === null ? names.join(' ') : `\${(f)"$(${lister})"}`;
    return `    ${quoted(path)}) flags=(${flags.join(' ')}); found=(${found}) ;;`;
  });
  return `#compdef jobd
# Completion of jobd in zsh: source <(jobd completion zsh), or as a file _jobd in a directory of $fpath
_jobd_zones() { ${printZones()}; }
_jobd() {
  local at='' i
  local -a flags found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${steps(stages).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  case \${words[CURRENT-1]} in
${valueCases(stages, (lister) => `found=("\${(f)$(${lister})}")`)}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -t options option flags
  elif (( \${#found} )); then
    _describe -t commands command found
  else
    _files
  fi
}
if [ "$funcstack[1]" = _jobd ]; then
  _jobd "$@"
else
  compdef _jobd jobd
fi
`;
}

/** Quotes for fish, which has only these two escapes in single quotes. */
function fishText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** What follows an option or argument whose values are listed. */
function fishValues(lister: string | null): string {
  return lister === null ? '' : ` -f -a ${fishText(`(${lister})`)}`;
}

function fish(stages: readonly Stage[]): string {
  const lines = stages.flatMap(({ path, words, options, lister }) => {
    const here = `complete -c jobd -n ${fishText(`__jobd_at ${fishText(path)}`)}`;
    return [
      ...words.map(([word, means]) => `${here} -f -a ${fishText(word)} -d ${fishText(means)}`),
      ...(lister === null ? [] : [`${here}${fishValues(lister)}`]),
      ...options.map(
        ({ long, takesValue, description, lister: values }) =>
          `${here} -l ${long}${takesValue ? ' -r' : ''}${fishValues(values)} -d ${fishText(description)}`,
      ),
    ];
  });
  return `# Completion of jobd in fish: jobd completion fish | source
function _jobd_zones
  ${printZones()}
end
function __jobd_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${steps(stages).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}
