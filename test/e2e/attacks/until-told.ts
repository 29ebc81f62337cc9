/** How an attack says that it is in full swing, and is told to end: by a line, and by the end of its input. */

let isTold = false;
process.stdin.once('end', () => (isTold = true)).resume();

/** Whether the attack is to end. */
export const isOver = (): boolean => isTold;

/** Says that it is in full swing. */
export function begin(): void {
  process.stdout.write('"begun"\n');
}

/** Prints the result, and ends. */
export function end(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
}
