/** What some work costs, whatever else the machine does meanwhile. */

/** Milliseconds for which the processor works on it, in this process. */
async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The least of some rounds of each, in turns: what else the machine does meanwhile makes all of them dearer. */
export async function leastCpuMs(works: readonly (() => unknown)[], rounds = 4): Promise<number[]> {
  const least = works.map(() => Infinity);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) {
      least[index] = Math.min(least[index] ?? Infinity, await cpuMsOf(work));
    }
  }
  return least;
}
