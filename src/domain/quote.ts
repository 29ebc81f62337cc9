/** One word of a POSIX shell, in single quotes (POSIX.1-2024 Shell Command Language 2.2.2). */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
