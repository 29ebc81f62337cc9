/** The jobs of a demo. Only those that call its own target become due soon: no name of the others is asked of a DNS server. */

import { msPerDay } from '../../../src/domain/clock.ts';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';

/** What a target answers. */
export interface Answered {
  status?: number;
  body?: string;
  ms?: number;
  location?: string;
}

export interface DemoJob {
  /** How many days before the end it is made. */
  daysAgo: number;
  input: Omit<JobInput, 'url'>;
  /** Where it leads in the end: below the target of the demo if it begins with a slash. */
  url: string;
  /** What is answered so many milliseconds before the end. */
  answer: (agoMs: number) => Answered;
  /** How many days before the end somebody pauses it. */
  pausedDaysAgo?: number;
}

const hourMs = 3_600_000;
export const badGateway = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx</center>
</body>
</html>
`;
const headers = { Authorization: 'Bearer s3cret-of-the-demo' };
const good =
  (body: string, ms = 300) =>
  (): Answered => ({ body, ms });
const every = (hours: number) =>
  ({ scheduleType: 'period', periodSeconds: hours * 3_600 }) as const;

/** All jobs by a short name, for a demo that ends now; the oldest first. */
export function demoJobs(nowMs: number) {
  // Half a day away from now, whatever time it is.
  const far = (new Date(nowMs).getUTCHours() + 12) % 24;
  const daily = (minute: number, timezone = 'UTC') => ({
    cronExpr: `${minute} ${far} * * *`,
    timezone,
  });
  const minutesAgo = (minutes: number) =>
    new Date(nowMs - minutes * 60_000).getUTCMinutes().toString();
  return {
    nightlyBackup: {
      daysAgo: 14,
      input: {
        name: 'Nightly backup',
        method: 'POST',
        headers: { ...headers, 'X-Tenant': 'shop' },
        body: '{"keep":21}',
        cronExpr: `30 ${far} * * *`,
        timezone: 'Europe/Paris',
        timeoutSeconds: 60,
        notes: 'If it fails twice, look at the free space of db-1 first.\nRunbook: page 3.',
      },
      url: 'https://db.example.com/backup',
      answer: (agoMs) =>
        agoMs > 9 * msPerDay && agoMs < 10 * msPerDay
          ? { status: 507, ms: 31 }
          : { body: 'dump of 14 tables ends\nstored as nightly.dump.zst, 412 MB\n', ms: 1_900 },
    },
    newsletter: {
      daysAgo: 14,
      pausedDaysAgo: 5,
      input: { name: 'Newsletter (old)', method: 'POST', ...daily(30, 'Europe/Madrid') },
      url: 'https://mail.example.com/newsletter/send',
      answer: good('queued 18,204 mails\n', 700),
    },
    longName: {
      daysAgo: 13,
      input: {
        name: 'Nachtlauf: Überweisungen prüfen und Kontoauszüge ablegen (Zürich, Wien, København)',
        ...daily(30, 'Europe/Zurich'),
        timeoutSeconds: 45,
      },
      url: 'https://bank.example.com/konten/alle/auszuege/ablegen?von=gestern&bis=heute&format=camt.053&sprache=de&mandant=4711',
      // Text in several scripts, with a tabulator and characters that change the direction of writing.
      answer: good(
        'geprüft: 1.204 Überweisungen\tStand: ok\nالقاهرة: ٣ \u202Eok\u202C\n東京: 12 件\n',
        520,
      ),
    },
    orders: {
      daysAgo: 8.1,
      input: { name: 'Export orders', ...every(8), timeoutSeconds: 60 },
      url: 'https://warehouse.example.com/export?since=yesterday',
      // Far more than a preview holds.
      answer: good('{"order":482000,"customer":"c-7919","total":49.9}\n'.repeat(200), 1_400),
    },
    partner: {
      daysAgo: 6,
      input: { name: 'Partner feed', ...daily(30, 'Asia/Kolkata') },
      url: 'https://feeds.partner.example.net/stock.csv',
      answer: (agoMs) =>
        agoMs < 3 * msPerDay ? { status: 404 } : { body: 'sku,stock\nA-1,12\nA-2,0\n' },
    },
    customers: {
      daysAgo: 3.07,
      input: {
        name: 'Sync customers',
        method: 'PUT',
        headers: { 'X-Api-Key': 'demo' },
        ...every(2),
      },
      url: 'https://crm.example.com/api/v2/sync',
      answer: (agoMs) =>
        Math.floor(agoMs / (2 * hourMs)) % 5 === 4
          ? { status: 500, ms: 900 }
          : { body: '{"changed":18}' },
    },
    rates: {
      daysAgo: 3.05,
      input: { name: 'Currency rates', ...every(4), retries: 1 },
      url: 'https://rates.example.com/v1/latest?base=EUR',
      // A number that a double cannot hold (2^53 + 1), and one with more digits than needed.
      answer: good(
        '{"id":9007199254740993,"base":"EUR","rates":{"USD":1.0842,"JPY":163.100}}',
        120,
      ),
    },
    changelog: {
      daysAgo: 2,
      input: { name: 'Publish changelog', method: 'POST', ...daily(30, 'America/Los_Angeles') },
      url: 'http://www.example.com/changelog/publish',
      answer: () => ({ status: 301, location: 'https://www.example.com/changelog/publish' }),
    },
    invoices: {
      // On at least three days by any clock, which are shown as days.
      daysAgo: 2.4,
      input: {
        name: 'Invoices',
        method: 'POST',
        headers,
        body: '{"limit":500}',
        // Three failures, so that the first of them was 2 h 4 min ago.
        cronExpr: `${minutesAgo(4)} * * * *`,
        timezone: 'Europe/Berlin',
        notes: 'Sends what became due in the last hour.',
      },
      url: 'https://billing.example.com/invoices/send',
      answer: (agoMs) =>
        agoMs < 2.5 * hourMs
          ? { status: 502, body: badGateway, ms: 31 }
          : { body: '{"sent":37,"skipped":0}', ms: 410 },
    },
    storage: {
      daysAgo: 0.1,
      input: { name: 'Audit storage', ...daily(45, 'UTC') },
      url: 'https://storage.internal/audit',
      answer: good('ok'),
    },
    warmCache: {
      daysAgo: 0.01,
      input: { name: 'Warm the cache', ...every(0.1) },
      url: '/warm',
      answer: good('{"warmed":128}', 58),
    },
    images: {
      // It is due each minute, so that a job runs when somebody looks.
      daysAgo: 0.0015,
      input: { name: 'Resize images', method: 'POST', cronExpr: '* * * * *', timeoutSeconds: 55 },
      url: '/resize',
      answer: good('{"resized":412}', 800),
    },
  } satisfies Record<string, DemoJob>;
}
