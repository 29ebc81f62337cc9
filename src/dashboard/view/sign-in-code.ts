/** The one-time code of a sign-in link, which is after `#`: no server, log or other site sees that part of an address. */

/** The code in a fragment as `jobd open` writes it, `#code=CODE`; null if there is none. It is empty if the link ends before it. */
export function codeIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('code');
}

/** Whether the end of a code is missing: a whole one has 32 characters. */
export function isCutOff(code: string): boolean {
  return code.length < 32;
}
