/** A report as Markdown, HTML or CSV. Names are texts of strangers: every text is escaped, in one place of each format. */

import { counted } from '../../domain/counted.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import { oneLine } from '../../domain/one-line.ts';
import { quoted } from '../../domain/quote.ts';
import { timeIn } from '../../domain/schedule/local-time.ts';
import { rateText } from '../../domain/runs/rate.ts';
import type { ReportedJob, ReportedMonitor } from './contract.ts';
import type { Month } from './month.ts';

/** What a report is made of. `now`: when it was made, in epoch milliseconds. */
export interface Report extends Month {
  selector: string | null;
  now: number;
  jobs: readonly ReportedJob[];
  monitors: readonly ReportedMonitor[];
  /** Where its receipts are, and the address of the server. */
  directory: string;
  url: string;
}

/** A part of a page; of a table, the titles are the first row. */
type Block = { heading: string } | { text: string } | { command: string } | { table: Cells[] };
type Cells = readonly (string | number)[];

const formats = { md: markdown, csv, html: page } as const;
export type Format = keyof typeof formats;

/** The whole text, without a line end after it. */
export function renderReport(report: Report, format: Format): string {
  return formats[format](blocksOf(report));
}

type Counts = Omit<ReportedJob, 'id' | 'name' | 'longestTrouble' | 'countedFrom'>;

function totalOf(jobs: readonly ReportedJob[]): Counts {
  const sum = (of: (job: ReportedJob) => number): number =>
    jobs.reduce((all, job) => all + of(job), 0);
  return {
    due: sum(({ due }) => due),
    success: sum(({ success }) => success),
    failed: sum(({ failed }) => failed),
    interrupted: sum(({ interrupted }) => interrupted),
    missed: sum(({ missed }) => missed),
    held: sum(({ held }) => held),
    unaccounted: sum(({ unaccounted }) => unaccounted),
    others: sum(({ others }) => others),
    receipts: {
      success: sum(({ receipts }) => receipts.success),
      failed: sum(({ receipts }) => receipts.failed),
    },
  };
}

const none = '–';
const titles =
  'Job,Due,Success,Failed,Interrupted,Missed,Held,Other runs,Success rate,Receipts,Longest trouble,Counted since';

function blocksOf(report: Report): Block[] {
  const { jobs, monitors, timezone, from, until, now, selector, month } = report;
  const at = (time: string | number): string => timeIn(new Date(time).getTime(), timezone);
  const since = (time: string | null): string => (time === null ? none : at(time));
  const cells = (of: Counts): Cells => {
    const { due, success, failed, interrupted, missed, held, others, receipts } = of;
    const answered = receipts.success + receipts.failed;
    const rate = rateText(of) ?? none;
    return [due, success, failed, interrupted, missed, held, others, rate, answered];
  };
  const troubleOf = ({ longestTrouble }: ReportedJob): string => {
    if (longestTrouble === null) return none;
    const { from: begin, until: end } = longestTrouble;
    const ms = (end === null ? Math.min(until, now) : Date.parse(end)) - Date.parse(begin);
    const length = inTwoUnits(Math.floor(ms / 1_000), { minute: 'min' });
    return `${length} from ${at(begin)}${end === null ? ', no success followed' : ''}`;
  };
  const ofJobs = jobs.map((job) => [
    job.name,
    ...cells(job),
    troubleOf(job),
    since(job.countedFrom),
  ]);
  const ofMonitors = monitors.map(({ name, success, failed, countedFrom }) => {
    return [name, success, failed, since(countedFrom)];
  });
  const pings = [
    { heading: `Pings of ${counted(monitors.length, 'monitor')}` },
    { table: [['Monitor', 'Success', 'Failed', 'Counted since'], ...ofMonitors] },
  ];
  const total = totalOf(jobs);
  const made =
    now < until ? `The month is not over: this is as of ${at(now)}.` : `Made ${at(now)}.`;
  return [
    { heading: `Report ${month}${selector === null ? '' : `, ${selector}`}` },
    { text: `${at(from)} to ${at(until)}, ${timezone}. ${made}` },
    { heading: `Calls of ${counted(jobs.length, 'job')}` },
    { table: [titles.split(','), ...ofJobs, ['All', ...cells(total), none, none]] },
    ...notesOf(jobs, total),
    ...(monitors.length === 0 ? [] : pings),
    ...proofOf(report, total),
  ];
}

/** What the numbers mean. */
function notesOf(jobs: readonly ReportedJob[], { unaccounted }: Counts): Block[] {
  const rate =
    'Success rate: successes among all that succeeded, failed, were interrupted (the outcome is not known) or were missed (due times without a call), ' +
    'rounded down. Other runs (by hand, replays, make-ups, after other jobs) are in the numbers before them. Trouble lasts from a due time without success to the ' +
    'next one with success. Not in it: deleted jobs, times in which a job was paused, due times that a window held (Held), and runs that were not over.';
  const cut =
    'What was before “Counted since” is no longer kept, or too much to count: these rates are of the runs kept.';
  const lost = `${counted(unaccounted, 'due time')} left no trace: jobd ledger check lists them.`;
  const isCut = jobs.some(({ countedFrom }) => countedFrom !== null);
  const said = [rate, ...(isCut ? [cut] : []), ...(unaccounted > 0 ? [lost] : [])];
  return said.map((text) => ({ text }));
}

/** How to recount it, and what cannot be recounted. */
function proofOf({ jobs, directory, url }: Report, total: Counts): Block[] {
  const { success, failed } = total.receipts;
  const having = jobs.filter(({ receipts }) => receipts.success + receipts.failed > 0).length;
  const all = counted(success + failed, 'receipt');
  const of = having === 1 ? 'one job' : counted(having, 'job');
  const text =
    `Answered calls have signed receipts: ${all} (${success} success, ${failed} failed) of ${of}. With them and the public keys that you ` +
    'archived (the first command fetches them), the second command must say the same:';
  const limits =
    'Receipts show answered calls alone. They cannot show calls without an answer, interrupted runs, missed due times, outages of jobd itself, or receipts ' +
    'that were left out before the first or after the last one of a job. For those, this report is the word of those who run jobd.';
  const commands = [
    `curl -fsS ${quoted(`${url}/api/v1/receipts/keys`)} -o keys.json`,
    `jobd verify ${quoted(oneLine(directory))} keys.json`,
  ].map((command) => ({ command }));
  return [{ heading: 'Recount it' }, { text }, ...commands, { text: limits }];
}

/** Characters that Markdown, also that of GitHub, may read as markup, links, mentions or formulas. */
const marks = /[\\`*_{}[\]<>#!|~&@$]|:(?=[a-z/+-])|\/(?=\/)|(?<=www)\./gi;

function escaped(value: string | number): string {
  return oneLine(String(value)).replaceAll(marks, String.raw`\$&`);
}

function markdown(blocks: readonly Block[]): string {
  const parts = blocks.map((block, index) => {
    if ('heading' in block) return `${index === 0 ? '#' : '##'} ${escaped(block.heading)}`;
    if ('text' in block) return escaped(block.text);
    if ('command' in block) return `    ${block.command}`;
    const [head = [], ...rows] = block.table.map((row) => row.map(escaped));
    const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
    return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
  });
  return parts.join('\n\n');
}

const style =
  'body{font:16px/1.5 sans-serif;max-width:75em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}' +
  'th,td{padding:.2em .6em;border-bottom:1px solid #ccc;text-align:right}' +
  'th:first-child,td:first-child,th:nth-child(11),td:nth-child(11){text-align:left}td:nth-child(11){min-width:15em}';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function element(name: string, text: string | number): string {
  const words = oneLine(String(text)).replaceAll(/[&<>"]/g, (mark) => entities[mark] ?? '');
  return `<${name}>${words}</${name}>`;
}

function rowOf(name: string, cells: Cells): string {
  return `<tr>${cells.map((cell) => element(name, cell)).join('')}</tr>`;
}

function page(blocks: readonly Block[]): string {
  const parts = blocks.map((block, index): string => {
    if ('heading' in block && index === 0) {
      const title = element('title', block.heading);
      return `${title}<style>${style}</style>${element('h1', block.heading)}`;
    }
    if ('heading' in block) return element('h2', block.heading);
    if ('text' in block) return element('p', block.text);
    if ('command' in block) return element('pre', block.command);
    const [head = [], ...rows] = block.table;
    const lines = [rowOf('th', head), ...rows.map((cells) => rowOf('td', cells))];
    return `<table>${lines.join('\n')}</table>`;
  });
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8">${parts.join('\n')}</html>`;
}

/** A cell as RFC 4180 has it. A text that a spreadsheet would compute gets an apostrophe. */
function cellOf(value: string | number): string {
  const text = oneLine(String(value));
  const safe = /^[=+\-@|%＝＋－＠]/.test(text) && typeof value === 'string' ? `'${text}` : text;
  return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The tables, one after the other. */
function csv(blocks: readonly Block[]): string {
  const tables = blocks.flatMap((block) => ('table' in block ? [block.table] : []));
  return tables.map((rows) => rows.map((row) => row.map(cellOf).join(',')).join('\n')).join('\n\n');
}
