import type { Labels } from '../../domain/labels.ts';

/** Labels as the editor has them: `client=acme, env=prod`. */
export function labelsLine(labels: Labels = {}): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** What was typed there; null for nothing. What is no label is sent as one without a value: the API says what is wrong. */
export function labelsTyped(line: string): Labels | null {
  const parts = line.split(',').flatMap((part) => {
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part.trim()) ?? [];
    return key === '' ? [] : [[key.trim(), value.trim()]];
  });
  return parts.length === 0 ? null : (Object.fromEntries(parts) as Labels);
}

/** A label as a search takes it. */
export function labelWord(key: string, value: string): string {
  return `${key}=${/[\s"]/.test(value) ? `"${value}"` : value}`;
}

/** What a search means: words such as `client=acme` and `env!=dev` are a selector, the others a text. */
export function searchIn(words: string): { q: string; selector: string } {
  const terms: string[] = [];
  const q = words.replace(
    /(?<=^|\s)([a-z0-9][a-z0-9._/-]*!?=)(?:"([^,]*?)"|([^\s",]+))(?=$|\s)/g,
    (_, begin: string, quoted?: string, plain?: string) => {
      terms.push(`${begin}${quoted ?? plain ?? ''}`);
      return '';
    },
  );
  return { q: q.trim(), selector: terms.join(',') };
}
