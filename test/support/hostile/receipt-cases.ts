/**
 * Judges many cases at once, the same way on every platform: Node 18 and a browser bundle this
 * file.
 */

/** The program that judges: the module, the downloadable script, or the browser bundle. */
export interface Program {
  readTrustedKeys(files: readonly Uint8Array[]): ReadonlyMap<string, never>;
  verifyReceipt(
    bytes: Uint8Array,
    keys: ReadonlyMap<string, never>,
  ): { verdict: string; reason?: string; receiptSha256?: string };
}

/** Cases as data for another process, all files in base64. A case names its key by the index. */
export interface Table {
  keys: string[];
  cases: [key: number, receipt: string][];
}

/** Verdict and reason of each case. `decode` turns base64 into bytes. */
export function judgeCases(
  program: Program,
  { keys, cases }: Table,
  decode: (text: string) => Uint8Array,
): [verdict: string, reason: string][] {
  const trusted = keys.map((key) => trust(program, decode(key)));
  return cases.map(([key, receipt]) => {
    const known = trusted[key] ?? '';
    if (typeof known === 'string') return ['no key', known];
    const { verdict, reason = '' } = program.verifyReceipt(decode(receipt), known);
    return [verdict, reason];
  });
}

/** The keys of a file, or why there are none. */
function trust(program: Program, bytes: Uint8Array): ReadonlyMap<string, never> | string {
  try {
    return program.readTrustedKeys([bytes]);
  } catch (error) {
    if ((error as Error).name !== 'Refusal') throw error;
    return (error as Error).message;
  }
}
