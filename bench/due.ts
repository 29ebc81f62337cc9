/**
 * What a due time costs: µs per nextDue, cold (nothing parsed, no zone read) and warm, and the
 * count of a month's due times. Run with `node bench/due.ts`.
 */
import { parseCron } from '../src/domain/schedule/cron.ts';
import { dueBetween, nextDue } from '../src/domain/schedule/next.ts';

const expressions = `* * * * *|*/5 * * * *|0 * * * *|30 2 * * *|0 9 * * 1-5|15,45 8-18 * * mon-fri
  |0 0 1 * *|0 0 L * *|30 6 * * 5#2|0 12 1-7 * */7|0 0 29 2 *|0 0 1 1 *|*/30 2 * 3 0L`
  .split('|')
  .map((cronExpr) => cronExpr.trim());
const zones = `UTC Europe/Paris America/New_York Africa/Casablanca Asia/Kathmandu
  Australia/Lord_Howe America/St_Johns Antarctica/Troll`.split(/\s+/);
const year = 365 * 86_400_000;
const start = Date.UTC(2026, 0, 1);
const schedules = expressions.flatMap((cronExpr) =>
  zones.map((timezone) => ({ scheduleType: 'cron', cronExpr, timezone }) as const),
);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function microseconds(work: () => void): number {
  const begun = performance.now();
  work();
  return (performance.now() - begun) * 1000;
}

function describe(label: string, samples: { cost: number; name: string }[]): void {
  const sorted = samples.toSorted((a, b) => a.cost - b.cost);
  const median = sorted[Math.floor(sorted.length / 2)];
  const worst = sorted.at(-1);
  print(
    `${label}: median ${median?.cost.toFixed(2)} µs, worst ${worst?.cost.toFixed(2)} µs (${worst?.name})`,
  );
}

describe(
  'parse, first time',
  expressions.map((name) => ({ cost: microseconds(() => parseCron(name)), name })),
);
describe(
  'nextDue, zone not read yet',
  zones.map((timezone) => {
    const schedule = { scheduleType: 'cron', cronExpr: '30 2 * * *', timezone } as const;
    return { cost: microseconds(() => nextDue(schedule, start)), name: timezone };
  }),
);
const rounds = 200;
for (const label of ['nextDue, first pass (code cold, years read)', 'nextDue, zone data loaded']) {
  describe(
    label,
    schedules.map((schedule) => {
      let at = start;
      const cost = microseconds(() => {
        for (let round = 0; round < rounds; round += 1) {
          // Instants spread over a year, always the same ones.
          at = start + ((at - start + 7_919_000_003) % year);
          nextDue(schedule, at);
        }
      });
      return { cost: cost / rounds, name: `"${schedule.cronExpr}" in ${schedule.timezone}` };
    }),
  );
}
const jobs = 10_000;
const monthMs = 30 * 86_400_000;
const count = microseconds(() => {
  for (let job = 0; job < jobs; job += 1) {
    const schedule = schedules[job % zones.length];
    if (schedule !== undefined) dueBetween(schedule, start + job, start + job + monthMs);
  }
});
print(`dueBetween, 30 days of "* * * * *" × ${jobs} jobs: ${(count / 1000).toFixed(1)} ms`);
