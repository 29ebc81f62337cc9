/** The files in contrib/cluster fit together, and use settings, paths and commands that jobd has. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { parseDatabaseUrl } from '../src/store/postgres/connections/url.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const settings = read('docs/command-line.md');
const dockerfile = read('contrib/Dockerfile');

/** Whether a variable is one that `docs/command-line.md` lists. */
function assertSetting(name: string): void {
  assert.ok(settings.includes(`\`${name}\``), `${name} is no setting`);
}

interface Service {
  image: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  networks: string[];
  volumes?: string[];
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  init?: boolean;
  ports?: (string | number)[];
  read_only?: boolean;
}

interface Compose {
  services: Record<string, Service>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
}

/** Fills in variables, as compose does. */
function filled(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => {
    assert.ok(name in variables, `${name} is not explained in the first lines`);
    return variables[name] ?? '';
  });
}

test('the services of compose.yaml find each other, with settings that jobd has', () => {
  const text = read('contrib/cluster/compose.yaml');
  const explained = Array.from(text.matchAll(/^# +(\w+)=/gm), ([, name = '']) => name);
  const variables = Object.fromEntries(explained.map((name) => [name, 'x']));
  const { services, networks, volumes } = parse(filled(text, variables)) as Compose;
  for (const [name, service] of Object.entries(services)) {
    for (const network of service.networks) assert.ok(network in networks, `${name}: ${network}`);
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in services, other);
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      if (!from.startsWith('.')) assert.ok(from in volumes, volume);
    }
  }
  const nodes = Object.entries(services).filter(([, { image }]) => image === 'jobd');
  assert.deepEqual(
    nodes.map(([name]) => name),
    ['node-a', 'node-b'],
  );
  const database = services['database']?.environment ?? {};
  for (const [, { environment = {}, depends_on: needs, stop_grace_period: grace, init }] of nodes) {
    for (const name of Object.keys(environment)) assertSetting(name);
    const { user, database: name, hosts } = partsOf(environment['JOBD_DATABASE_URL'] ?? '');
    assert.deepEqual([user, name], [database['POSTGRES_USER'], database['POSTGRES_DB']]);
    assert.deepEqual(hosts, ['database']);
    assert.equal(needs?.['database']?.condition, 'service_healthy');
    assert.ok(services['database']?.healthcheck);
    assert.ok(Number.parseInt(grace ?? '', 10) > 30, 'longer than calls in flight are waited for');
    assert.equal(init, true, 'no signal is lost');
  }
  const caddyfile = read('contrib/cluster/Caddyfile');
  const port = /EXPOSE (\d+)/.exec(dockerfile)?.[1];
  for (const [name] of nodes) assert.ok(caddyfile.includes(`${name}:${port}`), name);
});

test('one jobd in compose.yaml keeps its data where the image has it, and is reached from this machine only', () => {
  const { services, volumes } = parse(read('contrib/compose.yaml')) as Compose;
  assert.deepEqual(Object.keys(services), ['jobd']);
  const { jobd } = services;
  for (const name of Object.keys(jobd?.environment ?? {})) assertSetting(name);
  const [directory] = /(?<=^VOLUME ).*/m.exec(dockerfile) ?? [];
  const [volume = ''] = jobd?.volumes ?? [];
  const [from = '', to] = volume.split(':');
  assert.ok(from in volumes);
  assert.equal(to, directory);
  const port = /EXPOSE (\d+)/.exec(dockerfile)?.[1];
  assert.deepEqual(jobd?.ports, [`127.0.0.1:${port}:${port}`]);
  assert.deepEqual([jobd?.image, jobd?.init, jobd?.read_only], ['jobd', true, true]);
  assert.ok(Number.parseInt(jobd?.stop_grace_period ?? '', 10) > 30);
});

function partsOf(url: string) {
  parseDatabaseUrl(url);
  const { username: user, pathname, hostname } = new URL(url);
  return { user, database: pathname.slice(1), hosts: [hostname] };
}

const noCaddy = spawnSync('caddy', ['version']).status === 0 ? false : 'caddy is not installed';

test('caddy takes the Caddyfile of the nodes', { skip: noCaddy }, () => {
  const file = join(root, 'contrib', 'cluster', 'Caddyfile');
  const args = ['validate', '--config', file, '--adapter', 'caddyfile'];
  const env = { ...process.env, JOBD_HOSTNAME: 'jobs.example.com' };
  const { status, stderr } = spawnSync('caddy', args, { encoding: 'utf8', env });
  assert.equal(status, 0, stderr);
  const formatted = execFileSync('caddy', ['fmt', file], { encoding: 'utf8' });
  assert.equal(formatted, read('contrib/cluster/Caddyfile'));
});

interface Resource {
  kind: string;
  metadata: { name: string; namespace: string };
  spec: Record<string, unknown>;
}

interface Deployment {
  replicas: number;
  selector: { matchLabels: Record<string, string> };
  template: {
    metadata: { labels: Record<string, string> };
    spec: {
      terminationGracePeriodSeconds: number;
      securityContext: { runAsUser: number };
      containers: Container[];
      volumes: { name: string; secret?: { secretName: string; items: { key: string }[] } }[];
    };
  };
}

interface Container {
  args: string[];
  env: {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { name: string; key: string } };
  }[];
  ports: { name: string; containerPort: number }[];
  readinessProbe: Probe;
  livenessProbe: Probe;
  volumeMounts: { name: string; mountPath: string }[];
}

interface Probe {
  httpGet: { path: string; port: string };
}

test('the resources of kubernetes.yaml fit together, with settings that jobd has', () => {
  const text = read('contrib/cluster/kubernetes.yaml');
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });
  for (const { errors } of documents) assert.deepEqual(errors, []);
  const resources = documents.map((one) => one.toJS() as Resource);
  const byKind = new Map(resources.map((one) => [one.kind, one]));
  assert.deepEqual([...byKind.keys()], ['Deployment', 'PodDisruptionBudget', 'Service', 'Ingress']);
  for (const { metadata } of resources) {
    assert.deepEqual(metadata, { ...metadata, name: 'jobd', namespace: 'jobd' });
  }
  const deployment = byKind.get('Deployment')?.spec as unknown as Deployment;
  const { labels } = deployment.template.metadata;
  assert.deepEqual(deployment.selector.matchLabels, labels);
  assert.deepEqual(byKind.get('Service')?.spec['selector'], labels);
  assert.deepEqual(byKind.get('PodDisruptionBudget')?.spec['selector'], { matchLabels: labels });
  assert.ok(deployment.replicas > 1);

  const { spec } = deployment.template;
  assert.ok(spec.terminationGracePeriodSeconds > 30);
  assert.match(dockerfile, new RegExp(`^USER ${spec.securityContext.runAsUser}:`, 'm'));
  const [container] = spec.containers;
  assert.ok(container);
  const keys = new Set(Array.from(text.matchAll(/--from-literal=([\w-]+)=/g), ([, key]) => key));
  for (const { name, valueFrom } of container.env) {
    assertSetting(name);
    if (valueFrom !== undefined) assert.ok(keys.has(valueFrom.secretKeyRef.key), name);
  }
  const mounts = new Map(container.volumeMounts.map(({ name, mountPath }) => [name, mountPath]));
  for (const { name, secret } of spec.volumes) {
    assert.ok(mounts.has(name), name);
    for (const { key } of secret?.items ?? []) assert.ok(keys.has(key), key);
  }
  const keyFile = container.env.find(({ name }) => name === 'JOBD_SECRET_KEY_FILE')?.value;
  assert.equal(keyFile, `${mounts.get('master-key')}/master-key`);
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  assert.match(dockerfile, new RegExp(`^EXPOSE ${ports.get('http')}$`, 'm'));
  for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) {
    assert.ok(ports.has(httpGet.port));
    assert.ok(['/readyz', '/healthz'].includes(httpGet.path));
  }
});
