/** Gathers the values of an option that may be repeated, as commander hands them over one by one. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
