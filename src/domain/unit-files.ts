/** What systemd reads in a unit, and in the files of `EnvironmentFile=`: systemd.exec(5), systemd.syntax(7). */

/** A file of `EnvironmentFile=`. */
export interface EnvironmentFile {
  variables: Record<string, string>;
  /** Lines that systemd ignores, without their values: `line 3: export JOBD_PORT`. */
  ignored: string[];
}

/** Reads it as systemd does: quotes, escapes, values of several lines, comments. Never throws. */
export function parseEnvironmentFile(given: string): EnvironmentFile {
  const text = given.replace(/\r\n?/g, '\n');
  const variables: Record<string, string> = {};
  const ignored: string[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    const { name, value, end } = entryAt(text, at);
    if (/^[A-Za-z_]\w*$/.test(name)) variables[name] = value;
    else if (name !== '') ignored.push(`line ${line}: ${name}`);
    line += text.slice(at, end).split('\n').length - 1;
    at = end;
  }
  return { variables, ignored };
}

interface Entry {
  /** Empty if there is none, as in a comment. */
  name: string;
  value: string;
  /** Where the next one begins. */
  end: number;
}

function entryAt(text: string, start: number): Entry {
  const end = endOfLine(text, start);
  const line = text.slice(start, end);
  const [first = ''] = line.trimStart();
  if (first === '#' || first === ';') return { name: '', value: '', end: endOfComment(text, end) };
  const equals = line.indexOf('=');
  if (equals === -1) return { name: first === '' ? '' : 'it has no =', value: '', end: end + 1 };
  return { name: line.slice(0, equals).trim(), ...valueAt(text, start + equals + 1) };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** A comment that ends with a backslash continues in the next line. */
function endOfComment(text: string, firstEnd: number): number {
  let end = firstEnd;
  while (end < text.length && text[end - 1] === '\\') end = endOfLine(text, end + 1);
  return end + 1;
}

/** Quotes may begin where a value does, or after the end of another quoted part. */
function valueAt(text: string, start: number): { value: string; end: number } {
  let value = '';
  /** The length of the value without blanks at its end. */
  let kept = 0;
  let quote = '';
  let isBare = false;
  let at = start;
  for (; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quote === '' && char === '\n') break;
    if (char === '\\' && quote !== "'") {
      at += 1;
      value += escaped(text[at] ?? '', quote);
      if (quote === '') isBare = true;
    } else if (quote === '' ? !isBare && (char === '"' || char === "'") : char === quote) {
      quote = quote === '' ? char : '';
    } else {
      const isBlank = quote === '' && (char === ' ' || char === '\t');
      if (isBlank && !isBare) continue;
      if (quote === '') isBare = true;
      value += char;
      if (isBlank) continue;
    }
    kept = value.length;
  }
  return { value: value.slice(0, kept), end: at + 1 };
}

/** A line that ends with a backslash continues in the next one. */
function escaped(char: string, quote: string): string {
  if (char === '\n') return '';
  return quote === '' || '"\\`$'.includes(char) ? char : `\\${char}`;
}

/** What a unit says about the settings of its service. */
export interface Unit {
  /** Of `Environment=`. */
  variables: Record<string, string>;
  /** The paths of `EnvironmentFile=`. */
  environmentFiles: string[];
  /** The words of the last `ExecStart=`. */
  command: string[];
  /** The path of the first `StateDirectory=`; null if there is none. */
  stateDirectory: string | null;
}

/** Reads the file of a unit and those that change it, in this order. `name` is that of the unit. Never throws. */
export function parseUnit(texts: readonly string[], name: string): Unit {
  const settings = new Map<string, string[]>();
  for (const [key, value] of texts.flatMap(assignmentsOfService)) {
    // An empty one takes back those before it.
    settings.set(key, value === '' ? [] : [...(settings.get(key) ?? []), value]);
  }
  const words = (key: string): string[] => (settings.get(key) ?? []).flatMap(splitWords);
  const credentials = new Map(words('LoadCredential').map(pairAt(':')));
  const [directory] = words('StateDirectory');
  return {
    variables: Object.fromEntries(
      words('Environment')
        .map(pairAt('='))
        .map(([key, value]) => [key, ownCredential(inUnit(value, name), name, credentials)]),
    ),
    environmentFiles: words('EnvironmentFile').map((path) => inUnit(path.replace(/^-/, ''), name)),
    command: splitWords(settings.get('ExecStart')?.at(-1) ?? ''),
    stateDirectory: directory === undefined ? null : `/var/lib/${directory}`,
  };
}

function assignmentsOfService(text: string): [key: string, value: string][] {
  let isService = false;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((given): [string, string][] => {
      const line = given.trim();
      if (line.startsWith('[')) isService = line === '[Service]';
      const equals = line.indexOf('=');
      if (!isService || equals === -1 || /^[#;]/.test(line)) return [];
      return [[line.slice(0, equals).trim(), line.slice(equals + 1).trim()]];
    });
}

/** Words with quotes around them, or around parts of them, lose these. */
function splitWords(text: string): string[] {
  const parts = text.match(/(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')+/g) ?? [];
  return parts.map((part) =>
    part.replace(/\\([^])|["']/g, (_, char: string | undefined) => char ?? ''),
  );
}

const pairAt =
  (mark: string) =>
  (word: string): [string, string] => {
    const at = word.indexOf(mark);
    return at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  };

/** What stands for directories of a service of the system: SPECIFIERS in systemd.unit(5). */
function inUnit(text: string, name: string): string {
  const meanings: Readonly<Record<string, string>> = {
    '%%': '%',
    '%C': '/var/cache',
    '%E': '/etc',
    '%L': '/var/log',
    '%S': '/var/lib',
    '%d': `/run/credentials/${name}`,
    '%n': name,
    '%t': '/run',
  };
  return text.replace(/%./g, (mark) => meanings[mark] ?? mark);
}

/** A credential is only there while the service runs; the file that it is loaded from always is. */
function ownCredential(
  path: string,
  name: string,
  credentials: ReadonlyMap<string, string>,
): string {
  const directory = `/run/credentials/${name}/`;
  const source = path.startsWith(directory) ? credentials.get(path.slice(directory.length)) : '';
  return source?.startsWith('/') === true ? source : path;
}
