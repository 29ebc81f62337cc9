/** What a hostile page tries. It runs in the browser, so it uses nothing from outside of itself. */

/** What the attacker knows of its victim: everything but the session. Even a valid key, to sign others in with. */
export interface Prey {
  /** The address of jobd, as the victim uses it. */
  site: string;
  jobId: string;
  workspaceId: string;
  key: string;
}

/** Tries everything. Resolves with what it could read: nothing, if jobd and the browser do their work. */
export async function attack({ site, jobId, workspaceId, key }: Prey): Promise<string[]> {
  const api = `${site}/api/v1`;
  const read: string[] = [];
  const hostileJob = JSON.stringify({
    name: 'hostile',
    url: 'http://127.0.0.1:9/',
    cronExpr: '* * * * *',
  });
  const rename = JSON.stringify({ name: 'taken over', action: 'pause' });
  const writes: [method: string, path: string, body: string | null][] = [
    ['POST', '/jobs', hostileJob],
    ['POST', `/jobs/${jobId}/run`, null],
    ['POST', `/jobs/${jobId}/copy`, '{"name":"hostile"}'],
    ['POST', '/jobs/actions', JSON.stringify({ action: 'delete', ids: [jobId] })],
    ['PATCH', `/jobs/${jobId}`, rename],
    ['DELETE', `/jobs/${jobId}`, null],
    ['POST', '/keys', '{"name":"hostile","permission":"write"}'],
    ['POST', '/session', JSON.stringify({ key })],
    ['PATCH', '/session', JSON.stringify({ workspaceId })],
    ['DELETE', '/session', null],
  ];
  const reads = [
    '/session',
    '/sessions',
    '/keys',
    '/jobs',
    `/jobs/${jobId}`,
    '/me',
    '/overview',
    '/about',
    '/openapi.json',
  ];

  /** Waits for what may never come. */
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the browser gets this function alone
  const within = <T>(promise: Promise<T>, ms = 2_000): Promise<T | undefined> =>
    Promise.race([promise, new Promise<undefined>((resolve) => setTimeout(resolve, ms))]);

  async function request(path: string, init: RequestInit): Promise<void> {
    try {
      const response = await fetch(api + path, { credentials: 'include', ...init });
      if (response.type === 'opaque') return;
      read.push(`${init.method ?? 'GET'} ${path} ${init.mode}: ${response.status}`);
    } catch {
      // Stopped, or its answer was.
    }
  }

  async function fetches(): Promise<void> {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json'];
    const own = { 'x-jobd-workspace': workspaceId };
    for (const mode of ['no-cors', 'cors'] as const) {
      await Promise.all(reads.map((path) => request(path, { mode })));
      for (const [method, path, body] of writes) {
        const isSimple = method === 'POST';
        if (mode === 'no-cors' && !isSimple) continue;
        await request(path, { mode, method, body });
        if (body !== null) {
          for (const type of types) {
            await request(path, { mode, method, body, headers: { 'content-type': type } });
          }
        }
        const headers = { ...own, 'content-type': 'application/json' };
        await request(path, { mode, method, body, headers });
        // A stream or a blob brings its own type.
        const blob = new Blob([body ?? ''], { type: 'text/plain' });
        if (isSimple) await request(path, { mode, method, body: blob, keepalive: true });
        if (isSimple) navigator.sendBeacon(api + path, blob);
      }
    }
  }

  async function forms(): Promise<void> {
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
    for (const [, path, body] of writes.filter(([method]) => method === 'POST')) {
      for (const enctype of types) {
        const frame = document.createElement('iframe');
        frame.name = `frame${document.querySelectorAll('iframe').length}`;
        const form = document.createElement('form');
        Object.assign(form, { action: api + path, method: 'post', enctype, target: frame.name });
        // The old way to send JSON as text: NAME=VALUE is what arrives.
        const field = document.createElement('input');
        const text = body ?? '{}';
        Object.assign(field, { name: `${text.slice(0, -1)},"x":"`, value: '"}' });
        form.append(field);
        document.body.append(frame, form);
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
        form.submit();
        await within(loaded);
        try {
          const shown = frame.contentDocument?.body.innerText ?? '';
          if (shown !== '') read.push(`form ${path}: ${shown}`);
        } catch {
          // Of another origin.
        }
        frame.remove();
      }
    }
  }

  async function elements(): Promise<void> {
    const names = ['img', 'script', 'link', 'object', 'embed', 'video', 'iframe'] as const;
    const paths = [...reads.map((path) => `/api/v1${path}`), '/', '/sign-in', '/docs', '/docs.css'];
    const tries = names.flatMap((name) =>
      paths.map(async (path) => {
        const element = document.createElement(name);
        const url = site + path;
        if (element instanceof HTMLLinkElement)
          Object.assign(element, { rel: 'stylesheet', href: url });
        else if (element instanceof HTMLObjectElement) element.data = url;
        else element.src = url;
        const loaded = new Promise<string>((resolve) => {
          element.addEventListener('load', () => resolve('load'));
          element.addEventListener('loadedmetadata', () => resolve('load'));
          element.addEventListener('error', () => resolve('error'));
        });
        document.body.append(element);
        const outcome = await within(loaded);
        // Frames always load something; what, is not to be seen.
        const isFrame = ['iframe', 'object', 'embed'].includes(name);
        if (outcome === 'load' && !isFrame) read.push(`<${name}> ${path}`);
        if (element instanceof HTMLIFrameElement) {
          try {
            if (element.contentDocument?.querySelector('main, pre')) read.push(`frame ${path}`);
          } catch {
            // Of another origin.
          }
          if ((element.contentWindow?.length ?? 0) > 0) read.push(`frames in ${path}`);
        }
        element.remove();
      }),
    );
    await Promise.all(tries);
  }

  /** Whether a window has not gone to its address yet. */
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the browser gets this function alone
  const isBlank = (opened: Window): boolean => {
    try {
      return opened.location.href === 'about:blank';
    } catch {
      return false;
    }
  };

  async function windows(): Promise<void> {
    for (const path of ['/', '/sign-in', '/docs', '/api/v1/session']) {
      const opened = open(site + path);
      if (opened === null) continue;
      for (let looks = 0; looks < 600 && isBlank(opened); looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      opened.postMessage('changed', '*');
      try {
        read.push(`window ${path}: ${opened.document.body.innerText}`);
      } catch {
        // Of another origin.
      }
      opened.close();
    }
  }

  async function streams(): Promise<void> {
    for (const path of ['/events', '/session']) {
      const socket = new WebSocket(api.replace('http', 'ws') + path);
      const stream = new EventSource(api + path, { withCredentials: true });
      for (const [what, one] of Object.entries({ socket, stream })) {
        const outcome = new Promise<string>((resolve) => {
          for (const type of ['open', 'message', 'error']) {
            one.addEventListener(type, () => resolve(type));
          }
        });
        const seen = await within(outcome, 1_000);
        if (seen === 'open' || seen === 'message') read.push(`${what} ${path}`);
      }
      socket.close();
      stream.close();
    }
  }

  await fetches();
  await elements();
  await streams();
  await windows();
  await forms();
  return read;
}
