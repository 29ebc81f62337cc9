/** `jobd account`: accounts with their plans, trials and subscriptions, in the database. */

import type { Command } from 'commander';
import { accountStatusOf, trialEndsAt, type Account } from '../../domain/accounts/account.ts';
import { isoTimeOrNull, systemClock } from '../../domain/clock.ts';
import { activeKeysPerAccount } from '../../domain/accounts/key.ts';
import { planNames, plans } from '../../domain/accounts/plan.ts';
import { parseChoice, parseWholeNumber } from '../../settings/setting.ts';
import { parseMoment } from '../options.ts';
import { moment, state, type Cell } from '../terminal/cell.ts';
import { printFields } from '../terminal/output.ts';
import { printed, storeCommands, table, type Print } from './store-commands.ts';

const trialDays = { min: 1, max: 3_650 };

const words = [['<name>', 'name of the account']] as const;
const load = () => import('../../app/accounts/accounts.ts');
const when = 'a time, or a duration such as 30d';
const until = (text: unknown): Promise<number> =>
  parseMoment(String(text), '--until', systemClock.now());

export const addAccountCommands = storeCommands(
  'account',
  'manage accounts, their plans, trials and subscriptions',
  {
    create: {
      about: 'create an account',
      words,
      options: (command) =>
        command
          .option('--plan <plan>', planNames.join(', '), 'free')
          .option(
            '--trial-days <n>',
            'length of the trial in days (default: no trial, never expires)',
          ),
      examples: ['account create acme --plan pro --trial-days 14'],
      async run({ open, flags }, name = '') {
        const plan = parseChoice(String(flags['plan']), '--plan', planNames);
        const days = flags['trialDays'];
        const length =
          days === undefined ? null : parseWholeNumber(String(days), '--trial-days', trialDays);
        const { createAccount } = await load();
        return shown(await createAccount(await open(), { name, plan, trialDays: length }));
      },
    },
    list: {
      about: 'list all accounts',
      examples: ['account list'],
      async run({ open }) {
        const { listAccounts } = await load();
        return table('accounts', (await listAccounts(await open())).map(shape), {
          name: ({ name }) => name,
          plan: ({ plan }) => plan,
          status: ({ status }) => state(status),
          until: ({ expiresAt }) => moment(expiresAt),
          created: ({ createdAt }) => moment(createdAt),
        });
      },
    },
    show: {
      about: 'show an account, its limits and its usage',
      words,
      examples: ['account show acme --json'],
      async run({ open }, name = '') {
        const { showAccount } = await load();
        const { account: found, usage } = await showAccount(await open(), name);
        const { name: _, ...limits } = plans[found.plan];
        return printed({ ...shape(found), limits, usage }, (output) =>
          printFields(output, {
            ...fieldsOf(found),
            jobs: `${usage.jobs + usage.monitors} of ${limits.jobs ?? 'any number'}, monitors included`,
            results: `${usage.results} of ${limits.results}, kept for ${limits.retentionDays} days`,
            keys: `${usage.keys} of ${activeKeysPerAccount}`,
            'smallest interval': `${limits.minIntervalSeconds} s`,
            'longest timeout': `${limits.maxTimeoutSeconds} s`,
          }),
        );
      },
    },
    'set-plan': {
      about: 'change the plan of an account; existing jobs beyond its limits stay',
      words: [...words, ['<plan>', planNames.join(', ')]],
      examples: ['account set-plan acme business'],
      async run({ open }, name = '', plan = '') {
        const { setPlan } = await load();
        const planName = parseChoice(plan, 'the plan', planNames);
        return shown(await setPlan(await open(), name, planName));
      },
    },
    trial: {
      about: 'set when the trial of an account ends',
      words,
      options: (command: Command) => command.requiredOption('--until <time>', when),
      examples: ['account trial acme --until 2026-12-31T00:00:00Z'],
      async run({ open, flags }, name = '') {
        const { setTrial } = await load();
        const endsAt = await until(flags['until']);
        return shown(await setTrial(await open(), name, endsAt));
      },
    },
    subscribe: {
      about: 'record that an account has paid; meant for billing systems',
      words,
      options: (command) =>
        command.option('--until <time>', `end of the paid time: ${when} (default: never)`),
      examples: ['account subscribe acme --until 2027-01-31T00:00:00Z'],
      async run({ open, flags }, name = '') {
        const paidUntil = flags['until'] === undefined ? null : await until(flags['until']);
        return shown(await (await load()).subscribe(await open(), name, paidUntil));
      },
    },
    cancel: {
      about: 'end the subscription or the trial of an account now; nothing is deleted',
      words,
      examples: ['account cancel acme'],
      run: async ({ open }, name = '') => shown(await (await load()).cancel(await open(), name)),
    },
  },
);

function shown(made: Account): Print {
  return printed(shape(made), (output) => printFields(output, fieldsOf(made)));
}

/** An account as JSON. */
function shape(account: Account) {
  const { id, name, plan, expiresAt, createdAt } = account;
  return {
    id,
    name,
    plan,
    status: accountStatusOf(account, systemClock.now()),
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
