/** What some work costs, whatever else the machine does meanwhile. */

/** Milliseconds for which the processor works on it, in this process. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
