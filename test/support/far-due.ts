/**
 * For jobs on a real clock that must not become due while a test runs: a full hour comes in the middle of some test every hour.
 * An expression that is due once a day, at a full hour (UTC), half a day from now.
 */
export const farDaily = `0 ${(new Date().getUTCHours() + 12) % 24} * * *`;
