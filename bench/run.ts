/** How every benchmark is run: its options, its help, its exit code. */

/** A benchmark as a script. */
export interface Bench<Options> {
  /** As people call it: `bench/NAME`. */
  name: string;
  usage: string;
  /** Reads the options. Throws an Error with a sentence for people. */
  readonly parseOptions: (args: string[]) => Options | 'help';
  /** Measures and prints; false if something went wrong that it has told. */
  readonly main: (options: Options) => Promise<boolean | void>;
}

/** Runs it with the arguments of this process. */
export async function run<Options>({
  name,
  usage,
  parseOptions,
  main,
}: Bench<Options>): Promise<void> {
  // An exit, unlike a signal, takes along what was started and removes what was written.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === 'help') process.stdout.write(usage);
    else if ((await main(options)) === false) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(
      `bench/${name}: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
