/** `jobd windows`: times in which nobody is alerted, or jobs are not called, over the API. */

import type { Command } from 'commander';
import { collection, type Api, type Collection } from '../../cli/client/api.ts';
import { fieldOf } from '../../cli/client/client.ts';
import { connect } from '../../cli/client/connect.ts';
import { path } from '../../cli/client/path.ts';
import { askOnce } from '../../cli/client/retry.ts';
import type { Context } from '../../cli/context.ts';
import { createNamed, withNameOptions } from '../../cli/create-named.ts';
import { givenFields, settingsOf, withFieldOptions, withOffOptions } from '../../cli/fields.ts';
import { idsOf, namesOf } from '../../cli/alerts/served.ts';
import { collect } from '../../cli/options.ts';
import { addResourceCommands, printItem, withName, type Resource } from '../../cli/resource.ts';
import { fitsNothing, unfitWords } from '../../cli/selection.ts';
import { inMachineZone, textFlag } from '../../cli/schedule/schedule-options.ts';
import { confirm } from '../../cli/terminal/prompt.ts';
import { idCell, moment } from '../../cli/terminal/cell.ts';
import { printFields, type Output } from '../../cli/terminal/output.ts';
import type { OverviewResponse } from '../../api/overview/contract.ts';
import { counted } from '../../domain/counted.ts';
import { invalidInput } from '../../domain/errors.ts';
import { quoted } from '../../domain/quote.ts';
import { aboutOf, aboutText } from '../../domain/window-words.ts';
import type { Flags } from '../../settings/config.ts';
import type { Window, WindowResponse, WindowUpdate } from './contract.ts';
import { windowFields } from './fields.ts';

const windowsOf = ({ ask }: Api): Collection<Window, WindowUpdate> => collection(ask, 'window');

/** Windows whose names are taken: those that are over keep theirs only in lists. */
function notOver(items: Collection<Window, WindowUpdate>): Collection<Window, WindowUpdate> {
  const named = async (name: string): Promise<Window[]> =>
    (await items.named(name)).filter(({ state }) => state !== 'over');
  const find = async (text: string): Promise<Window> => {
    const [only, ...others] = text === '' ? [] : await named(text);
    return only !== undefined && others.length === 0 ? only : await items.find(text);
  };
  return { ...items, named, find };
}

const resource: Resource<Window, WindowUpdate> = {
  noun: 'window',
  example: "'patch night'",
  of: (api) => notOver(windowsOf(api)),
  columns: {
    name: ({ name }) => name,
    effect: ({ effect }) => effect,
    about: (window) => aboutText(aboutOf(window)),
    state: stateText,
    ends: (window) => moment(endOf(window)),
    'begins next': ({ nextFrom }) => moment(nextFrom),
    id: ({ id }) => idCell(id),
  },
  optionalColumns: ['id'],
  print: printWindow,
  withOptions: (command) =>
    withYes(withOffOptions(withWindowOptions(command, false), windowFields)),
  exampleOptions: ' --for 3h',
  updateOf: givenOf,
  async complete(found, fields, flags, api) {
    await confirmAll({ ...found, ...fields }, flags, api, found);
    return { fields, note: null };
  },
  belongings: null,
  statuses: [],
  all: (api) => windowsOf(api).list(),
};

/** Adds the commands. */
export function addWindowCommands(program: Command, context: Context): void {
  const group = program
    .command('windows')
    .description('manage times in which nobody is alerted, or jobs are not called');
  const create = group.command('create').description('create a window');
  withYes(withNameOptions(withWindowOptions(create, true), 'window'))
    .addHelpText(
      'after',
      `
Examples:
  jobd windows create --name tonight --effect mute \\
    -l client=acme --for 10h
  jobd windows create --name 'patch night' --effect mute \\
    --cron '0 22 * * tue' --for 2h
  jobd windows create --name migration --effect hold --until 06:00`,
    )
    .action(async (flags: Flags & { name: string }) => {
      const { name } = flags;
      const api = connect(context, { waits: true });
      const { fields, note } = await inMachineZone({
        ...asOnce(await givenOf(flags, api)),
        scheduleType: 'cron' as const,
      });
      const { scheduleType: _, ...given } = fields;
      const items = windowsOf(api);
      const made = await createNamed<Window, Window, WindowUpdate>(
        { noun: 'window', items: notOver(items), name, flags },
        {
          async create() {
            if (given.effect === undefined)
              throw invalidInput('--effect is required: mute or hold');
            await confirmAll(given, flags, api);
            return fieldOf(await askOnce<WindowResponse>(api.ask, '/windows', given), 'window');
          },
          async change(found) {
            await confirmAll({ ...found, ...given }, flags, api, found);
            return await items.update(found.id, given);
          },
        },
      );
      const isLocal =
        typeof given.cronExpr === 'string' || [flags['from'], flags['until']].some(isOfClock);
      if (note !== null && isLocal) context.output.say(note);
      for (const job of await calledOnce(made, api)) {
        context.output.say(`${job} is called once, which no window holds: jobd jobs pause ${job}`);
      }
      await printItem(context, resource, flags, made);
    });
  addResourceCommands(group, context, resource);
  withName(group.command('end'), 'window')
    .description('end a window that is on, before its time')
    .addHelpText('after', "\nExample:\n  jobd windows end 'patch night'")
    .action(async (name: string, flags: Flags) => {
      const api = connect(context);
      const { id } = await notOver(windowsOf(api)).find(name);
      const { window } = await api.ask<WindowResponse>('POST', path`/windows/${id}/end`);
      await printItem(context, resource, flags, window);
    });
}

/** Whether a time was given as clocks of a zone show it. */
function isOfClock(given: unknown): boolean {
  return typeof given === 'string' && given.includes(':') && !given.endsWith('Z');
}

/** Asks about a window that becomes about everything: whoever forgot to choose has all jobs stand still. */
async function confirmAll(
  given: WindowUpdate,
  flags: Flags,
  { ask }: Api,
  before?: Window,
): Promise<void> {
  const isSame = before && isAboutAll(before) && before.effect === given.effect;
  if (!isAboutAll(given) || isSame || flags['yes'] === true) return;
  const { overview } = await ask<OverviewResponse>('GET', '/overview');
  const [jobs, monitors] = [counted(overview.jobs.total, 'job'), overview.monitors.total];
  const all = `all ${jobs} and ${counted(monitors, 'monitor')}`;
  await confirm(given.effect === 'hold' ? `Hold ${all}?` : `Mute alerts of ${all}?`, false);
}

function isAboutAll({ selector, jobIds, monitorIds }: WindowUpdate): boolean {
  return (selector ?? jobIds ?? monitorIds ?? null) === null;
}

/** Names of chosen jobs that a hold leaves alone, of the first ten (docs/behavior.md#hold-1). */
async function calledOnce({ effect, jobIds }: Window, { jobs }: Api): Promise<string[]> {
  const ids = effect === 'hold' ? (jobIds ?? []).slice(0, 10) : [];
  const found = await Promise.all(ids.map((id) => jobs.get(id)));
  return found.filter(({ runAt }) => typeof runAt === 'string').map(({ name }) => quoted(name));
}

function withWindowOptions(command: Command, isNew: boolean): Command {
  return withFieldOptions(command, windowFields, { isNew })
    .option('--job <job>', 'only this job, by id or name; may be repeated', collect)
    .option('--monitor <monitor>', 'only this monitor, by id or name; may be repeated', collect)
    .option('--cron <expr>', 'when each period begins, of a window that recurs')
    .option('--tz <zone>', 'IANA time zone of these times (default that of this machine)');
}

function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask before all jobs are muted or held');
}

/** The fields that the options give. Throws `invalid_input`, naming the option. */
async function givenOf(flags: Flags, api: Api): Promise<WindowUpdate> {
  const { job, monitor } = flags;
  const [cronExpr, timezone] = [textFlag(flags, 'cron'), textFlag(flags, 'tz')];
  const fields = await givenFields<WindowUpdate>(flags, windowFields);
  const isMoved = fields.from !== undefined || fields.until !== undefined;
  // Of another kind it is all that one.
  const others =
    cronExpr === undefined ? isMoved && { cronExpr: null } : { from: null, until: null };
  return {
    ...others,
    ...(typeof fields.until === 'string' && { durationSeconds: null }),
    ...fields,
    ...(Array.isArray(job) && { jobIds: await idsOf(job, api.jobs) }),
    ...(Array.isArray(monitor) && { monitorIds: await idsOf(monitor, api.monitors) }),
    ...(cronExpr !== undefined && { cronExpr }),
    ...(timezone !== undefined && { timezone }),
  };
}

/** What an option that says how long means for a window that may recur: with `--cron`, of each period; else, that it does not. */
function asOnce(given: WindowUpdate): WindowUpdate {
  const isOnce = given.cronExpr === undefined && typeof given.durationSeconds === 'number';
  return isOnce ? { ...given, cronExpr: null } : given;
}

function stateText({ state, endedAt }: Window): string {
  return state === 'over' && endedAt !== null ? 'ended early' : state.replace('_', ' ');
}

/** When it ends, if it is on; when it ended, if it is over. */
function endOf({ state, onUntil, until, endedAt }: Window): string | null {
  return state === 'over' ? (endedAt ?? until) : onUntil;
}

async function printWindow(output: Output, window: Window, context: Context): Promise<void> {
  const { selector, cronExpr, timezone, jobIds, monitorIds, endedAt } = window;
  const api = connect(context);
  const { jobs, monitors } = api;
  const nothing = await fitsNothing(selector, api);
  const [end, isOver] = [endOf(window), window.state === 'over'];
  printFields(output, {
    name: window.name,
    effect: window.effect,
    about: `${aboutText(aboutOf(window))}${nothing ? `, which ${unfitWords(selector)}` : ''}`,
    ...(jobIds?.length && { jobs: await namesOf(jobIds, jobs) }),
    ...(monitorIds?.length && { monitors: await namesOf(monitorIds, monitors) }),
    ...settingsOf(windowFields, window, ['name', 'effect', 'selector']),
    ...(cronExpr !== null && { 'begins at': `${cronExpr} ${timezone}` }),
    state: stateText(window),
    ...(endedAt !== null && { 'ended early': moment(endedAt) }),
    ...(end !== null && end !== endedAt && { [isOver ? 'ended' : 'ends']: moment(end) }),
    ...(window.nextFrom !== null && { 'begins next': moment(window.nextFrom) }),
    id: window.id,
  });
}
