/**
 * Commands that work on the data of this machine. The bundle that npm brings to machines without the executable has `elsewhere.ts`
 * in place of them and of `local-wings.ts`.
 */

import type { Output } from '../cli/terminal/output.ts';
import { filesOf, type CommandFile } from './house.ts';

export const localCommands: readonly CommandFile[] = [
  ...filesOf('serve', {
    serve: async () => (await import('./command.ts')).addServeCommand,
    open: async () => (await import('../cli/operator/open.ts')).addOpenCommand,
  }),
  ...filesOf('access', {
    key: async () => (await import('../cli/operator/key.ts')).addKeyCommands,
    session: async () => (await import('../cli/operator/session.ts')).addSessionCommands,
    account: async () => (await import('../cli/operator/account.ts')).addAccountCommands,
    workspace: async () => (await import('../cli/operator/workspace.ts')).addWorkspaceCommands,
    'signing-key': async () =>
      (await import('../cli/operator/signing-key.ts')).addSigningKeyCommands,
    'call-key': async () => (await import('../cli/operator/call-key.ts')).addCallKeyCommands,
    secrets: async () => (await import('../cli/operator/secrets.ts')).addSecretsCommands,
  }),
  ...filesOf('operate', {
    doctor: async () => (await import('../cli/operator/doctor.ts')).addDoctorCommand,
    nodes: async () => (await import('../cli/operator/nodes.ts')).addNodesCommand,
    'self-test': async () => (await import('./self-test.ts')).addSelfTestCommand,
  }),
];

/** The site URL of the server of this machine; null if there is none. Never throws. */
export async function findSiteHere(output: Output): Promise<string | null> {
  const { siteHere } = await import('../cli/operator/site.ts');
  return await siteHere(output);
}
