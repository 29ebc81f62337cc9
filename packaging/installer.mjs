/** Parts of install.sh that packages use too, so that each text exists once: functions of the shell, and the unit. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const script = join(import.meta.dirname, '..', 'install.sh');

/** The text of functions of install.sh, with the comments above them. Throws if it has none of a name. */
export function functionsOf(names) {
  const text = readFileSync(script, 'utf8');
  return names
    .map((name) => {
      const found = new RegExp(`^(?:# .*\\n)*${name}\\(\\) \\{\\n[^]*?^\\}\\n`, 'm').exec(text);
      if (found === null) throw new Error(`install.sh has no function ${name}`);
      return found[0];
    })
    .join('\n');
}

/** The unit of the service, for a program in this directory. `filter` is the file with the addresses that it denies. */
export function unitText({ bin, settings, backups, filter, refresh }) {
  const program = [
    'set -eu',
    functionsOf(['say', 'unit_text']),
    'deny_metadata() { say "# The addresses are in $filter"; }',
    'unit_text',
  ].join('\n');
  return execFileSync('sh', ['-c', program], {
    env: { bin, settings, backups, filter, refresh },
    encoding: 'utf8',
  });
}
