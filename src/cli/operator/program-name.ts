/** How this program is typed, for command lines that it prints. */

/** `bin/jobd` in a checkout, else the executable as it was typed. */
export function programName(): string {
  return process.argv[1]?.endsWith('.cjs') ? 'bin/jobd' : process.argv0;
}
