/** `jobd account`: accounts with their plans, trials and subscriptions, in the database. */

import type { Command } from 'commander';
import type * as accounts from '../../app/accounts/accounts.ts';
import type { Flags } from '../../settings/config.ts';
import type { Local } from '../../serve/local-store.ts';
import { standingOf, trialEndsAt } from '../../domain/accounts/account.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { isoTimeOrNull, systemClock } from '../../domain/clock.ts';
import { activeKeysPerAccount } from '../../domain/accounts/key.ts';
import { planNames, plans } from '../../domain/accounts/plan.ts';
import { moment, state } from '../terminal/cell.ts';
import type { Cell } from '../terminal/cell.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { withPlace } from './place-options.ts';
import { parseMoment } from '../options.ts';
import { parseChoice, parseWholeNumber } from '../../settings/setting.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

/** Length of a trial, in days. */
const trialDays = { min: 1, max: 3_650 };

/** Adds the commands. */
export function addAccountCommands(program: Command, context: Context): void {
  const { output } = context;
  const account = program
    .command('account')
    .description('manage accounts, their plans, trials and subscriptions');

  withStore(account.command('create').argument('<name>', 'name of the account'))
    .description('create an account')
    .option('--plan <plan>', planNames.join(', '), 'free')
    .option('--trial-days <n>', 'length of the trial in days (default: no trial, never expires)')
    .addHelpText('after', '\nExample:\n  jobd account create acme --plan pro --trial-days 14')
    .action(async (name: string, flags: Flags & { plan: string; trialDays?: string }) => {
      const plan = parseChoice(flags.plan, '--plan', planNames);
      const days = flags.trialDays;
      const input = {
        name,
        plan,
        trialDays: days === undefined ? null : parseWholeNumber(days, '--trial-days', trialDays),
      };
      await using local = await openStoreFor(flags, output);
      const { createAccount } = await import('../../app/accounts/accounts.ts');
      printAccount(context, await createAccount(local, input), flags);
    });
  addListCommand(account, output);
  addShowCommand(account, output);
  addTermCommands(account, context);
}

function addListCommand(account: Command, output: Output): void {
  withStore(account.command('list'))
    .description('list all accounts')
    .addHelpText('after', '\nExample:\n  jobd account list')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listAccounts } = await import('../../app/accounts/accounts.ts');
      const found = (await listAccounts(local)).map(shape);
      if (flags['json']) return printJson(output, { accounts: found });
      printRows(output, found, {
        name: ({ name }) => name,
        plan: ({ plan }) => plan,
        status: ({ status }) => state(status),
        until: ({ expiresAt }) => moment(expiresAt),
        created: ({ createdAt }) => moment(createdAt),
      });
    });
}

function addShowCommand(account: Command, output: Output): void {
  withStore(account.command('show').argument('<name>', 'name of the account'))
    .description('show an account, its limits and its usage')
    .addHelpText('after', '\nExample:\n  jobd account show acme --json')
    .action(async (name: string, flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { showAccount } = await import('../../app/accounts/accounts.ts');
      const { account: found, usage } = await showAccount(local, name);
      const { name: _, ...limits } = plans[found.plan];
      if (flags['json']) return printJson(output, { ...shape(found), limits, usage });
      printFields(output, {
        ...fieldsOf(found),
        jobs: `${usage.jobs + usage.monitors} of ${limits.jobs ?? 'any number'}, monitors included`,
        results: `${usage.results} of ${limits.results}, kept for ${limits.retentionDays} days`,
        keys: `${usage.keys} of ${activeKeysPerAccount}`,
        'smallest interval': `${limits.minIntervalSeconds} s`,
        'longest timeout': `${limits.maxTimeoutSeconds} s`,
      });
    });
}

/** The commands that change the plan, trial or subscription. */
function addTermCommands(account: Command, context: Context): void {
  const change = async (
    flags: Flags,
    made: (app: typeof accounts, local: Local) => Promise<Account>,
  ): Promise<void> => {
    await using local = await openStoreFor(flags, context.output);
    printAccount(context, await made(await import('../../app/accounts/accounts.ts'), local), flags);
  };
  const named = (command: string): Command =>
    withStore(account.command(command).argument('<name>', 'name of the account'));

  named('set-plan')
    .argument('<plan>', planNames.join(', '))
    .description('change the plan of an account; existing jobs beyond its limits stay')
    .addHelpText('after', '\nExample:\n  jobd account set-plan acme business')
    .action(async (name: string, plan: string, flags: Flags) => {
      const planName = parseChoice(plan, 'the plan', planNames);
      await change(flags, (app, local) => app.setPlan(local, name, planName));
    });

  named('trial')
    .description('set when the trial of an account ends')
    .requiredOption('--until <time>', 'ISO 8601 with an offset or Z')
    .addHelpText('after', '\nExample:\n  jobd account trial acme --until 2026-12-31T00:00:00Z')
    .action(async (name: string, flags: Flags & { until: string }) => {
      const until = parseMoment(flags.until, '--until');
      await change(flags, (app, local) => app.setTrial(local, name, until));
    });

  named('subscribe')
    .description('record that an account has paid; meant for billing systems')
    .option('--until <time>', 'end of the paid time: ISO 8601 with an offset or Z (default: never)')
    .addHelpText('after', '\nExample:\n  jobd account subscribe acme --until 2027-01-31T00:00:00Z')
    .action(async (name: string, flags: Flags & { until?: string }) => {
      const until = flags.until === undefined ? null : parseMoment(flags.until, '--until');
      await change(flags, (app, local) => app.subscribe(local, name, until));
    });

  named('cancel')
    .description('end the subscription or the trial of an account now; nothing is deleted')
    .addHelpText('after', '\nExample:\n  jobd account cancel acme')
    .action(async (name: string, flags: Flags) => {
      await change(flags, (app, local) => app.cancel(local, name));
    });
}

function withStore(command: Command): Command {
  return withPlace(command);
}

function printAccount({ output }: Context, account: Account, flags: Flags): void {
  if (flags['json']) printJson(output, shape(account));
  else printFields(output, fieldsOf(account));
}

/** An account as JSON. */
function shape(account: Account) {
  const { id, name, plan, expiresAt, createdAt } = account;
  return {
    id,
    name,
    plan,
    status: standingOf(account, systemClock.now()),
    trialEndsAt: isoTimeOrNull(trialEndsAt(account)),
    expiresAt: isoTimeOrNull(expiresAt),
    createdAt: isoTimeOrNull(createdAt),
  };
}

function fieldsOf(account: Account): Record<string, Cell> {
  const { id, name, plan, status, expiresAt, createdAt } = shape(account);
  return {
    id,
    name,
    plan,
    status: state(status),
    until: moment(expiresAt),
    created: moment(createdAt),
  };
}
