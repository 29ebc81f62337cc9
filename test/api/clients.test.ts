/**
 * Clients that public generators make of the published API description: their types are right, and they do the main job:
 * create a job, list it, run it now, get the run, delete it.
 */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { OpenApiDocument } from '../../src/api/description/openapi-document.ts';
import { officialSchemaText } from '../support/checks/openapi-schema.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { startTestDaemon, type TestDaemon } from '../support/running/daemon.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
/** A workspace of its own: its generator needs an older compiler. */
const workspace = join(root, '.ci', 'clients', 'node_modules', '.bin');

/** What each client says of the main job. */
interface Done {
  listed: number;
  /** The `Location` of the job and of the run, where the client shows headers. */
  places?: (string | null)[];
  runOf: string;
  jobId: string;
  isGone: boolean;
}

function assertDone(done: Done, { url }: TestDaemon): void {
  const { jobId, places, ...others } = done;
  assert.deepEqual(others, { listed: 1, runOf: jobId, isGone: true });
  if (places === undefined) return;
  const job = `${url}/api/v1/jobs/${jobId}`;
  assert.equal(places[0], job);
  assert.ok(places[1]?.startsWith(`${job}/runs/`), String(places[1]));
}

/** A directory with the description and this program, which may import what the project has. */
function directoryWith(t: TestContext, description: OpenApiDocument, program: string): string {
  const directory = temporaryDirectory(t);
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(description));
  writeFileSync(join(directory, 'use.ts'), program);
  return directory;
}

/** Checks the types of the program, and runs it. */
async function checkAndRun(directory: string, { url, key }: TestDaemon): Promise<Done> {
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
  const more = ['--allowImportingTsExtensions', '--skipLibCheck', '--types', ''];
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  await run(process.execPath, [compiler, ...flags, ...more, 'use.ts'], { cwd: directory });
  const { mainJob } = await import(join(directory, 'use.ts'));
  return await mainJob(`${url}/api/v1`, key, 'http://127.0.0.1:1/');
}

async function describedBy({ ask }: TestDaemon): Promise<OpenApiDocument> {
  return (await ask('GET', '/openapi.json', undefined, null)).body;
}

const withOazapfts = `
import { createJob, defaults, deleteJob, getJob, getRun, listJobs, runJob } from './client.ts';

export async function mainJob(baseUrl: string, key: string, url: string) {
  Object.assign(defaults, { baseUrl, headers: { Authorization: \`Bearer \${key}\` } });
  const made = await createJob({ name: 'generated', url, method: 'POST', headers: { 'X-A': 'b' } });
  if (made.status !== 201) throw new Error(made.data.error);
  const next: string | null = made.data.job.nextRunAt;
  void next;
  // @ts-expect-error a job has no such field
  void made.data.job.headers;
  // @ts-expect-error a job needs a URL
  void (() => createJob({ name: 'generated' }));
  const listed = await listJobs({ limit: 10 });
  if (listed.status !== 200) throw new Error(listed.data.error);
  const queued = await runJob(made.data.job.id, { idempotencyKey: 'once' });
  if (queued.status !== 202) throw new Error(queued.data.error);
  const { id, jobId } = queued.data.run;
  const seen = await getRun(jobId, id);
  if (seen.status !== 200) throw new Error(seen.data.error);
  const status: 'queued' | 'running' | 'success' | 'failed' | 'interrupted' | 'missed' = seen.data.run.status;
  void status;
  await deleteJob(jobId);
  const isGone = (await getJob(jobId)).status === 404;
  return { listed: listed.data.jobs.length, runOf: seen.data.run.jobId, jobId, isGone };
}
`;

test('oazapfts makes a client that compiles and works', async (t) => {
  const daemon = await startTestDaemon(t);
  const directory = directoryWith(t, await describedBy(daemon), withOazapfts);
  const generator = join(root, 'node_modules', '.bin', 'oazapfts');
  await run(process.execPath, [generator, 'openapi.json', 'client.ts'], { cwd: directory });
  assertDone(await checkAndRun(directory, daemon), daemon);
});

/** The types of inputs: what has a default may be left out, whether the generator looks at defaults or not. */
const withOpenApiFetch = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Schemas = components['schemas'];
type Optional<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? K : never }[keyof T];
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

export const jobInput: Same<
  Exclude<keyof Schemas['JobInput'], Optional<Schemas['JobInput']>>,
  'name' | 'url'
> = true;
export const monitorInput: Same<
  Exclude<keyof Schemas['MonitorInput'], Optional<Schemas['MonitorInput']>>,
  'name'
> = true;
export const channelInput: Same<
  Exclude<keyof Schemas['ChannelInput'], Optional<Schemas['ChannelInput']>>,
  'name' | 'type' | 'config'
> = true;
export const previewInput: Schemas['SchedulePreviewInput'] = {};
export const definitions: Schemas['DefinitionsInput'] = {
  jobs: [{ key: 'a', name: 'a', url: 'https://example.com/' }],
};
// @ts-expect-error a job needs a URL
export const noUrl: Schemas['JobInput'] = { name: 'a' };
// @ts-expect-error a method is one of a few words
export const noMethod: Schemas['JobInput'] = { name: 'a', url: 'https://a/', method: 'FETCH' };

export async function mainJob(baseUrl: string, key: string, url: string) {
  const { GET, POST, PATCH, DELETE } = createClient<paths>({
    baseUrl,
    headers: { Authorization: \`Bearer \${key}\` },
  });
  const made = await POST('/jobs', { body: { name: 'generated', url } });
  if (made.error) throw new Error(made.error.error);
  const { job } = made.data;
  const path = { id: job.id };
  const listed = await GET('/jobs', { params: { query: { limit: 10 } } });
  const updated = await PATCH('/jobs/{id}', { params: { path }, body: { ...job, notes: 'sent back' } });
  if (updated.error) throw new Error(updated.error.error);
  const queued = await POST('/jobs/{id}/run', {
    params: { path, header: { 'Idempotency-Key': 'once' } },
  });
  if (queued.error) throw new Error(queued.error.error);
  const runPath = { ...path, runId: queued.data.run.id };
  const seen = await GET('/jobs/{id}/runs/{runId}', { params: { path: runPath } });
  await DELETE('/jobs/{id}', { params: { path } });
  const { response } = await GET('/jobs/{id}', { params: { path } });
  return {
    listed: listed.data?.jobs.length ?? 0,
    places: [made, queued].map((answer) => answer.response.headers.get('location')),
    runOf: seen.data?.run.jobId ?? '',
    jobId: job.id,
    isGone: response.status === 404,
  };
}
`;

test('openapi-typescript makes types, in its own settings, with which openapi-fetch works', async (t) => {
  const daemon = await startTestDaemon(t);
  const directory = directoryWith(t, await describedBy(daemon), withOpenApiFetch);
  const generator = join(workspace, 'openapi-typescript');
  const inAndOut = ['openapi.json', '--output', 'schema.ts'];
  await run(process.execPath, [generator, ...inAndOut], { cwd: directory });
  assertDone(await checkAndRun(directory, daemon), daemon);
});

/** Perl: a method for each operation, named by its id. Each request is checked with the description before it is sent. */
const withPerl = `
use strict; use warnings;
use Mojo::JSON 'encode_json';
use OpenAPI::Client;
my ($file, $key, $url) = @ARGV;
my $client = OpenAPI::Client->new("file://$file");
$client->ua->on(start => sub { $_[1]->req->headers->authorization("Bearer $key") });
sub ask {
  my ($operation, @input) = @_;
  my $result = $client->call($operation, @input)->res;
  die "$operation answered ", $result->code, ': ', $result->body, "\\n" if $result->code >= 300;
  return $result;
}
my $made = ask(createJob => {body => {name => 'generated', url => $url, retries => 0}});
my $id = $made->json->{job}{id};
my $listed = ask(listJobs => {limit => 10})->json->{jobs};
my $queued = ask(runJob => {id => $id, 'Idempotency-Key' => 'once'});
my $seen = ask(getRun => {id => $id, runId => $queued->json->{run}{id}})->json->{run};
ask(deleteJob => {id => $id});
my $refused = $client->call(createJob => {body => {name => 'no URL'}});
die 'a job without a URL was sent' if $refused->req->headers->authorization;
print encode_json {
  listed => 0 + @$listed,
  places => [map { $_->headers->location } $made, $queued],
  runOf => $seen->{jobId},
  jobId => $id,
  isGone => $client->call(getJob => {id => $id})->res->code == 404 ? \\1 : \\0,
};
`;
const isPerlThere = spawnSync('perl', ['-MOpenAPI::Client', '-e', '1']).status === 0;

test(
  'a client in Perl takes the description, and works',
  { skip: isPerlThere ? false : 'libopenapi-client-perl is not installed' },
  async (t) => {
    const daemon = await startTestDaemon(t);
    const directory = directoryWith(t, await describedBy(daemon), '');
    const file = (...names: string[]): string => join(directory, ...names);
    writeFileSync(file('use.pl'), withPerl);
    // It checks the description with the official schema, which it would load from elsewhere.
    const address = 'https://spec.openapis.org/oas/3.1/schema/2021-05-20';
    mkdirSync(file('schemas'));
    writeFileSync(file('schemas', hash('md5', address)), officialSchemaText('#/$defs/schema'));
    // Its check depends on the order of Perl's hashes: in some, it takes a header for a reference.
    const order = { PERL_HASH_SEED: '0', PERL_PERTURB_KEYS: '0' };
    const env = { ...process.env, ...order, JSON_VALIDATOR_CACHE_PATH: file('schemas') };
    const input = [file('use.pl'), file('openapi.json'), daemon.key, 'http://127.0.0.1:1/'];
    const { stdout, stderr } = await run('perl', input, { env });
    assert.equal(stderr, '');
    assertDone(JSON.parse(stdout), daemon);
  },
);
