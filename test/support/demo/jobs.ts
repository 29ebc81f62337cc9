/**
 * The jobs of a demo. Only those that call its own target become due soon: no name of the others is ever asked of a DNS
 * server, whatever time it is.
 */

import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { answered, around, failed, usually } from './calls.ts';
import type { Behavior } from './calls.ts';
import * as previews from './previews.ts';
import { dayMs, hourMs, minuteMs } from './world.ts';
import type { World } from './world.ts';

export interface DemoJob {
  input: JobInput;
  createdAt: number;
  calls: Behavior;
  /** The key that definitions know it by. */
  key?: string;
  /** When somebody paused it. */
  pausedAt?: number;
  /** When somebody ran it by hand. */
  ranAt?: number;
}

export type DemoJobs = ReturnType<typeof demoJobs>;

/** In this time jobd did not run: due times were missed, and the calls in flight interrupted. Milliseconds ago. */
export const outages = [
  { from: 19 * dayMs, to: 18.5 * dayMs },
  { from: 9.5 * hourMs - 15_000, to: 8 * hourMs + 20 * minuteMs },
];

/** All jobs by a short name, for a demo that ends now. */
export function demoJobs({ nowMs: now, targetUrl }: Pick<World, 'nowMs' | 'targetUrl'>) {
  const far = (cronExpr: string, timezone: string) => farCron(cronExpr, timezone, now);
  /** Every few hours, the last time some minutes ago. */
  const every = (hours: number, days: number, minutesAgo: number) => ({
    createdAt: now - days * dayMs - minutesAgo * minuteMs,
    schedule: { scheduleType: 'period', periodSeconds: hours * 3_600 } as const,
  });
  const ago = (days: number): number => now - days * dayMs;
  // Its calls take 6 s, so that the first failure of three ended 2 h 4 min ago.
  const fourMinutesAgo = new Date(now - 4 * minuteMs - 7_000).getUTCMinutes();
  const inAMonth = new Date(now + 33 * dayMs);
  const headers = { Authorization: 'Bearer s3cret-of-the-demo' };
  const metrics = every(1, 20, 25);
  const rates = every(4, 14, 70);
  const sync = every(2, 21, 40);
  // Its call was in flight when the last outage began.
  const orders = every(6, 30, 3.5 * 60);
  const logs = every(24, 30, 5 * 60);
  const bi = every(12, 25, 4 * 60);
  return {
    nightlyBackup: {
      createdAt: ago(60),
      input: {
        name: 'Nightly backup',
        url: 'https://db.example.com/backup',
        method: 'POST',
        headers: { ...headers, 'X-Tenant': 'shop' },
        body: '{"keep":14}',
        ...far('30 2 * * *', 'Europe/Paris'),
        timeoutSeconds: 60,
        retries: 1,
        notes:
          'If it fails twice, look at the free space of db-1 first.\nRunbook: backups, page 3.',
      },
      calls: usually({ ms: 19_400, body: previews.backupLog }, ({ left }) => {
        if (left === 9 || left === 10) return answered(507, '', { ms: 31 });
        return left === 4 ? answered(200, previews.backupLog, { ms: 9_800, attempts: 2 }) : null;
      }),
    },
    invoices: {
      createdAt: ago(30),
      input: {
        name: 'Invoices',
        url: 'https://billing.example.com/invoices/send',
        method: 'POST',
        headers,
        body: '{"limit":500}',
        cronExpr: `${fourMinutesAgo} * * * *`,
        timezone: 'Europe/Berlin',
        retries: 2,
        notes: 'Sends what became due in the last hour.',
      },
      calls: usually({ ms: 410, body: '{"sent":37,"skipped":0}' }, ({ left, random }) => {
        if (left < 3) return answered(502, previews.badGateway, { ms: 31, attempts: 3 });
        if (left < 6) return null;
        if (random() < 0.02)
          return answered(200, '{"sent":12,"skipped":0}', { ms: 300, attempts: 2 });
        return random() < 0.006 ? answered(429, 'slow down', { ms: 28, attempts: 3 }) : null;
      }),
    },
    warmCache: {
      createdAt: ago(3) - 2 * minuteMs,
      input: {
        name: 'Warm the cache',
        url: `${targetUrl}/warm`,
        scheduleType: 'period',
        periodSeconds: 300,
      },
      calls: usually({ ms: 58, body: '{"warmed":128}' }),
    },
    certificates: {
      createdAt: ago(90),
      input: {
        name: 'Renew certificates',
        url: 'https://certs.example.com/renew',
        method: 'POST',
        ...far('15 4 * * 1', 'UTC'),
        timeoutSeconds: 60,
      },
      calls: usually({ ms: 6_100, body: previews.certificates }),
    },
    rates: {
      createdAt: rates.createdAt,
      input: {
        name: 'Currency rates',
        url: 'https://rates.example.com/v1/latest?base=EUR',
        ...rates.schedule,
        timezone: 'UTC',
        retries: 1,
      },
      calls: usually({ ms: 120, body: previews.rates }),
      ranAt: now - 26 * minuteMs,
    },
    customers: {
      createdAt: sync.createdAt,
      input: {
        name: 'Sync customers',
        url: 'https://crm.example.com/api/v2/sync',
        method: 'PUT',
        headers: { 'X-Api-Key': 'demo' },
        ...sync.schedule,
        notes: 'Flaps since the move of the CRM. Ticket 4711.',
      },
      calls: usually({ ms: 2_300, body: '{"changed":18}' }, ({ left }) =>
        left > 0 && left < 24 && [1, 2, 5, 7, 8, 11, 14, 17, 20].includes(left)
          ? failed('reset', 'the connection was closed before an answer came', { ms: 1_200 })
          : null,
      ),
    },
    weeklyReport: {
      createdAt: ago(45),
      input: {
        name: 'Weekly report',
        url: 'https://reports.example.com/weekly?format=html&team=sales',
        ...far('0 7 * * 1', 'America/New_York'),
      },
      calls: usually({ ms: 3_400, body: previews.html }),
    },
    search: {
      createdAt: ago(30),
      input: {
        name: 'Reindex search',
        url: 'https://search.internal/reindex?full=true',
        method: 'POST',
        ...far('40 1 * * *', 'Asia/Tokyo'),
        timeoutSeconds: 60,
        notes: 'Slow on purpose: it walks the whole catalogue.',
      },
      calls: ({ left, random }) =>
        left === 6 || left === 17
          ? failed('timeout', 'no complete answer within 60 s', { ms: 60_002 })
          : answered(200, '{"documents":310552}', { ms: Math.min(around(49_000, random), 59_700) }),
    },
    checkout: {
      createdAt: now - 6 * hourMs,
      input: {
        name: 'Checkout probe',
        url: `${targetUrl}/checkout?step=payment`,
        cronExpr: '* * * * *',
        timezone: 'UTC',
        timeoutSeconds: 10,
      },
      calls: usually({ ms: 140, body: 'checkout: ok\n' }, ({ left, random }) =>
        left > 5 && random() < 0.008
          ? answered(500, 'checkout: payment is slow\n', { ms: 2_100 })
          : null,
      ),
    },
    sessions: {
      createdAt: ago(30),
      input: {
        name: 'Prune sessions',
        url: 'https://api.internal/sessions/expired',
        method: 'DELETE',
        headers,
        ...far('5 3 * * *', 'Europe/London'),
      },
      calls: usually({ ms: 260, status: 204, body: '' }),
    },
    metrics: {
      createdAt: metrics.createdAt,
      input: {
        name: 'Collect metrics',
        url: 'https://metrics.internal/collect',
        ...metrics.schedule,
      },
      calls: usually({ ms: 75, body: previews.letters }),
    },
    orders: {
      createdAt: orders.createdAt,
      input: {
        name: 'Export orders',
        url: 'https://warehouse.example.com/export?since=yesterday',
        ...orders.schedule,
        timeoutSeconds: 60,
        retries: 1,
      },
      calls: ({ random }) =>
        answered(200, previews.orders, {
          ms: Math.max(20_000, Math.min(around(41_000, random), 58_000)),
        }),
    },
    images: {
      // It is due now, so that a job runs when somebody looks.
      createdAt: now - 3 * hourMs,
      input: {
        name: 'Resize images',
        url: `${targetUrl}/resize`,
        method: 'POST',
        scheduleType: 'period',
        periodSeconds: 60,
        timeoutSeconds: 55,
      },
      calls: usually({ ms: 38_000, body: '{"resized":412}' }),
    },
    reminders: {
      createdAt: ago(25),
      key: 'send-reminders',
      input: {
        name: 'Send reminders',
        url: 'https://billing.example.com/reminders',
        method: 'POST',
        headers,
        body: 'dryRun=false',
        ...far('0 9 * * 1-5', 'Europe/Paris'),
        notes: 'Changed in jobs.yaml only.',
      },
      calls: usually({ ms: 880, body: '{"reminded":9}' }),
    },
    rotateLogs: {
      createdAt: logs.createdAt,
      key: 'rotate-logs',
      input: {
        name: 'Rotate logs',
        url: 'https://logs.internal/rotate',
        method: 'POST',
        ...logs.schedule,
      },
      calls: usually({ ms: 540, body: 'rotated 14 files\n' }),
    },
    newsletter: {
      createdAt: ago(80),
      pausedAt: ago(12),
      input: {
        name: 'Newsletter (old)',
        url: 'https://mail.example.com/newsletter/send',
        method: 'POST',
        cronExpr: '0 10 * * 2',
        timezone: 'Europe/Madrid',
      },
      calls: usually({ ms: 4_700, body: 'queued 18,204 mails\n' }),
    },
    catalogue: {
      createdAt: ago(28),
      pausedAt: ago(2),
      input: {
        name: 'Import catalogue',
        url: 'https://catalogue.example.com/import',
        method: 'PATCH',
        headers,
        cronExpr: '20 5 * * *',
        timezone: 'Europe/Warsaw',
        retries: 1,
        notes: 'Paused until the supplier has mended its feed.',
      },
      calls: usually({ ms: 9_300, body: '{"imported":1204}' }, ({ agoMs }) =>
        agoMs < 5 * dayMs
          ? answered(422, '{"error":"line 88: price is no number"}', { ms: 4_100 })
          : null,
      ),
    },
    inventory: {
      createdAt: ago(1.2),
      input: {
        name: 'Yearly inventory',
        url: 'https://warehouse.example.com/inventory',
        method: 'POST',
        cronExpr: `0 8 ${inAMonth.getUTCDate()} ${inAMonth.getUTCMonth() + 1} *`,
        timezone: 'Pacific/Auckland',
      },
      calls: usually({ ms: 100 }),
    },
    storage: {
      createdAt: now - 2 * hourMs,
      input: {
        name: 'Audit storage',
        url: 'https://storage.internal/audit',
        cronExpr: `45 23 ${((new Date(now).getUTCDate() + 12) % 28) + 1} * *`,
        timezone: 'Asia/Kolkata',
      },
      calls: usually({ ms: 100 }),
    },
    partner: {
      createdAt: ago(20),
      input: {
        name: 'Partner feed',
        url: 'https://feeds.partner.example.net/stock.csv',
        ...far('10 0,12 * * *', 'Asia/Kolkata'),
        retries: 1,
      },
      calls: usually({ ms: 640, body: 'sku,stock\nA-1,12\nA-2,0\n' }, ({ agoMs }) =>
        agoMs < 3 * dayMs
          ? failed(
              'tls',
              'feeds.partner.example.net: the certificate has expired on 2025-10-01 (CERT_HAS_EXPIRED)',
              {
                ms: 48,
              },
            )
          : null,
      ),
    },
    vacuum: {
      createdAt: ago(70),
      input: {
        name: 'Vacuum database',
        url: 'https://db.example.com/vacuum',
        method: 'POST',
        ...far('0 3 * * 0', 'America/Sao_Paulo'),
        timeoutSeconds: 60,
      },
      calls: usually({ ms: 27_000, body: 'VACUUM\n' }, ({ left }) =>
        left === 2
          ? failed('refused', 'nobody listens at 192.0.2.40:443 (ECONNREFUSED)', { ms: 3 })
          : null,
      ),
    },
    dashboards: {
      createdAt: bi.createdAt,
      input: {
        name: 'Refresh dashboards',
        url: 'https://bi.example.com/refresh',
        method: 'HEAD',
        ...bi.schedule,
      },
      calls: usually({ ms: 1_900, body: '' }),
    },
    changelog: {
      createdAt: ago(2),
      input: {
        name: 'Publish changelog',
        url: 'http://www.example.com/changelog/publish',
        method: 'POST',
        ...far('30 16 * * *', 'America/Los_Angeles'),
      },
      calls: () =>
        answered(301, '', { ms: 22, location: 'https://www.example.com/changelog/publish' }),
    },
    longName: {
      createdAt: ago(15),
      input: {
        name: 'Nachtlauf: Überweisungen prüfen und Kontoauszüge ablegen (Zürich, Wien, København)',
        url: 'https://bank.example.com/konten/alle/auszuege/ablegen?von=gestern&bis=heute&format=camt.053&sprache=de&mandant=4711',
        ...far('25 22 * * 1-5', 'Europe/Zurich'),
        timeoutSeconds: 45,
      },
      calls: usually({ ms: 5_200, body: previews.letters }),
    },
  } satisfies Record<string, DemoJob>;
}

/** A cron schedule with a later hour, if it would be due soon or was due just now. */
function farCron(cronExpr: string, timezone: string, now: number) {
  const [minute = '', hours = '', ...days] = cronExpr.split(' ');
  for (let later = 0; later < 4; later += 1) {
    const hour = hours.split(',').map((one) => (Number(one) + later) % 24);
    const moved = [minute, hour.join(','), ...days].join(' ');
    const due = nextDue({ scheduleType: 'cron', cronExpr: moved, timezone }, now - 5 * minuteMs);
    if (due === null || due > now + 45 * minuteMs) return { cronExpr: moved, timezone };
  }
  throw new Error(`${cronExpr} is always due soon`);
}
