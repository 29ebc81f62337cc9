/** What a soak showed: the last third of it beside the middle one, when everything is warm. */

/** What was seen at one moment. */
export interface Sample {
  /** Seconds since the first due time. */
  second: number;
  rssMb: number;
  /** Open files, sockets included. */
  files: number;
  sockets: number;
  databaseMb: number;
  logMb: number;
  cpuSeconds: number;
  /** Runs that are recorded. */
  runs: number;
}

export interface Figures {
  samples: Sample[];
  /** Runs that had become due, and what came of them. */
  due: number;
  recorded: number;
  missed: number;
  /** Start of each call less its due time. */
  latenessP50Ms: number;
  latenessP99Ms: number;
  latenessMaxMs: number;
}

/** The ratios that say whether it may go on like this for ever. */
export interface Verdict {
  rssRatio: number;
  filesRatio: number;
  bytesPerRunRatio: number;
  isSteady: boolean;
}

/** More than this from the middle third to the last one is growth, not noise. */
const mostGrowth = 1.1;

/** Judges a soak. */
export function judge({ samples, due, recorded, missed }: Figures): Verdict {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const ratio = (of: (sample: Sample) => number): number => mean(last, of) / mean(middle, of);
  const rssRatio = ratio(({ rssMb }) => rssMb);
  const filesRatio = ratio(({ files }) => files);
  const bytesPerRunRatio = bytesPerRun(last) / bytesPerRun(middle);
  const grows = [rssRatio, filesRatio, bytesPerRunRatio].some((growth) => growth > mostGrowth);
  const isComplete = missed === 0 && recorded >= due;
  return { rssRatio, filesRatio, bytesPerRunRatio, isSteady: !grows && isComplete };
}

function mean(samples: readonly Sample[], of: (sample: Sample) => number): number {
  return samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
}

function bytesPerRun(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return NaN;
  return ((last.databaseMb - first.databaseMb) * 1e6) / (last.runs - first.runs);
}

/** Lines of text. */
export function describe(figures: Figures): string {
  const { samples, due, recorded, missed } = figures;
  const { rssRatio, filesRatio, bytesPerRunRatio, isSteady } = judge(figures);
  const every = Math.max(1, Math.floor(samples.length / 10));
  const shown = samples.filter((_, index) => index % every === every - 1);
  const last = samples.at(-1);
  const cpu = last === undefined ? NaN : (last.cpuSeconds / last.second) * 100;
  return `${[
    'second  RSS MB  files  sockets  database MB  log MB  runs',
    ...shown.map(({ second, rssMb, files, sockets, databaseMb, logMb, runs }) =>
      [second, rssMb, files, sockets, databaseMb, logMb, runs]
        .map((value) => value.toFixed(0).padStart(6))
        .join('  '),
    ),
    '',
    `${due} due, ${recorded} recorded, ${missed} missed; lateness p50 ${figures.latenessP50Ms} p99 ${figures.latenessP99Ms} max ${figures.latenessMaxMs} ms; ${cpu.toFixed(1)} % of a core`,
    `last third over middle third: RSS ${rssRatio.toFixed(3)}, open files ${filesRatio.toFixed(3)}, bytes a run ${bytesPerRunRatio.toFixed(3)} (${bytesPerRun(samples.slice(-Math.ceil(samples.length / 3))).toFixed(0)} bytes)`,
    isSteady ? 'steady' : 'NOT steady',
  ].join('\n')}\n`;
}
