/** Nothing: the number is taken. */

/** Makes nothing. */
export async function up(): Promise<void> {}
