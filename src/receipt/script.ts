/** The entry of verify-receipt.mjs: one file that checks receipts without jobd, on Node 18 and newer. Importing it runs nothing. */

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { judgePaths } from './files.ts';
import { exitCodes, wordsOf } from './judge.ts';
import { Refusal } from './refusal.ts';

export { judge, wordsOf } from './judge.ts';
export { Refusal } from './refusal.ts';
export { readTrustedKeys } from './trusted-keys.ts';
export { verifyReceipt } from './verify.ts';

const usage = `Usage: node verify-receipt.mjs RECEIPT KEY

RECEIPT  a receipt as it was downloaded, a directory of receipts, a file with one on each line, or -
KEY      the public key that you fetched over HTTPS and archived: the answer of /api/v1/receipts/key or
         /api/v1/receipts/keys, a JSON Web Key, PEM, or a directory of such files

A valid receipt proves that the holder of the key observed this HTTP answer to a call of its own at the
time stated. It does not prove what the called application did, nor that it was called only once, and it
is not a qualified electronic signature.

Exit code: 0 valid, 1 invalid, 2 nothing can be judged
`;

async function main(args: readonly string[]): Promise<number> {
  const [receiptPath, keyPath] = args;
  if (args.includes('--help')) {
    process.stdout.write(usage);
    return exitCodes.valid;
  }
  if (receiptPath === undefined || keyPath === undefined || args.length > 2) {
    process.stderr.write(usage);
    return exitCodes.unreadable;
  }
  try {
    const judgement = await judgePaths(receiptPath, keyPath);
    const { verdict } = judgement;
    const stream = verdict === 'unreadable' ? process.stderr : process.stdout;
    stream.write(`${wordsOf(judgement).join('\n')}\n`);
    return exitCodes[verdict];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`unreadable: ${error.message}\n`);
    return exitCodes.unreadable;
  }
}

/** Whether Node was started with this file, under any name. */
function isStarted(): boolean {
  try {
    return realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

if (isStarted()) process.exitCode = await main(process.argv.slice(2));
