/** A vault with a public test key. */

import type { Job } from '../../../src/domain/jobs/job.ts';
import { openJob, sealJob, type SealedJob } from '../../../src/domain/secrets/sealed-job.ts';
import { givenMasterKey } from '../../../src/secrets/master-keys.ts';
import { openVault } from '../../../src/secrets/vault.ts';

/** The value of JOBD_SECRET_KEY. */
export const testSecretKey = '7a'.repeat(32);
export const testMasterKeys = givenMasterKey({
  name: 'JOBD_SECRET_KEY',
  text: testSecretKey,
});
export const testVault = openVault(testMasterKeys);
export const testMasterKeyId = testMasterKeys.read()[0]!.id;

/** A job as the store keeps it. */
export function sealed(job: Job): Promise<SealedJob> {
  return sealJob(job, testVault, async () => testMasterKeyId);
}

/** A job as it was before it was sealed. */
export function opened(job: SealedJob): Job {
  const { sealed: _, ...found } = openJob(job, testVault) as Job & SealedJob;
  return found;
}
