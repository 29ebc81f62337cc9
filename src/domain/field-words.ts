/** Names of fields in words, for people who do not know the API. */

const words: Readonly<Record<string, string>> = {
  url: 'URL',
  siteUrl: 'site URL',
  cronExpr: 'schedule',
  scheduleType: 'schedule',
  periodSeconds: 'schedule',
  timezone: 'time zone',
  headerNames: 'headers',
  timeoutSeconds: 'timeout',
  graceSeconds: 'grace',
  jobIds: 'jobs',
  monitorIds: 'monitors',
  after: 'what it runs after',
  afterOn: 'what it runs after',
  onResult: 'where results go',
  alsoOn: 'also notified of',
  afterFailures: 'failures before it is notified',
  remindEverySeconds: 'reminders',
};

/** The name of a field: `time zone`, `database bytes`. */
export function fieldWord(name: string): string {
  if (Object.hasOwn(words, name)) return words[name] ?? name;
  return name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}
