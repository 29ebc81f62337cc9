/** Heavy reads of a workspace come one after the other: whatever else jobd does comes in between, and each is refused in time. */

export type Turns = <T>(workspaceId: string, read: () => Promise<T>) => Promise<T>;

/** Makes them. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (workspaceId, read) => {
    const turn = Promise.resolve(last.get(workspaceId)).then(read);
    const end = turn.catch(() => {});
    last.set(workspaceId, end);
    try {
      return await turn;
    } finally {
      if (last.get(workspaceId) === end) last.delete(workspaceId);
    }
  };
}
