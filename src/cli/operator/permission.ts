/** What a key or a browser may do: `--permission read`, or `--read` for short. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { permissions, type Permission } from '../../domain/accounts/key.ts';
import { JobdError } from '../../domain/errors.ts';
import { parseChoice } from '../../settings/setting.ts';

/** Adds the options. Help shows the first one. */
export function withPermission(command: Command, words = ''): Command {
  return command
    .option('--permission <permission>', `read or write${words} (default write)`)
    .addOption(command.createOption('--read', 'the same as --permission read').hideHelp());
}

/** The permission that the options give. Throws `usage` if they contradict each other, and `invalid_input`. */
export function permissionOf({ permission, read }: Flags): Permission {
  const given =
    typeof permission === 'string' ? parseChoice(permission, '--permission', permissions) : null;
  if (read !== true) return given ?? 'write';
  if (given !== 'write') return 'read';
  throw new JobdError('usage', 'use either --read or --permission write, not both');
}
