/** The name of a program without its directory, and without the `.exe` of Windows. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

/** The tool that a program is, by its name or its path; null if a job cannot do what it does. */
export function toolOf(program: string): 'curl' | 'wget' | null {
  const name = nameOf(program);
  return name === 'curl' || name === 'wget' ? name : null;
}
