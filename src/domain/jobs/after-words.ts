/** The conditions of jobs that run after others, for pages too: nothing else is loaded with them. */

/** The most jobs in a chain, one after the other. */
export const longestChain = 20;

/** Which ends of the other job's runs start it. */
export const afterOnWords = ['success', 'failed', 'finished'] as const;
export type AfterOn = (typeof afterOnWords)[number];

/** A condition in a sentence: `runs after Import succeeds`. */
export const afterOnVerbs: Readonly<Record<AfterOn, string>> = {
  success: 'succeeds',
  failed: 'fails',
  finished: 'ends',
};
