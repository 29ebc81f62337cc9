/** The executable as it was typed; in a checkout, where Node runs it, `bin/jobd`. */
export function programName(): string {
  const isNode = /(?:^|\/)node$/.test(process.argv0);
  return isNode ? 'bin/jobd' : process.argv0;
}
