/** Names of the target: which of its origins a call goes to. */

/** The target's own origin, or, of so many below storm.localhost, one after the other. */
export function originOf(origin: string, hosts: number, number: number): string {
  if (hosts === 0) return origin;
  const { protocol, port } = new URL(origin);
  return `${protocol}//h${number % hosts}.storm.localhost:${port}`;
}
