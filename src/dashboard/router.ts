/** The address: which page it names, what it asks for, and how to get to another one without loading the document again. */

import { computed, signal } from '@preact/signals';

/** The path of the site, with a slash at its end. The script is at ROOT/assets/NAME. */
export const root = new URL('..', import.meta.url).pathname;

/** Where this tab is: the path without the root (`/`, `/jobs/ID`), and what follows the question mark. */
export interface Place {
  path: string;
  query: string;
}

/** Where this tab is now. */
export const place = signal<Place>(placeOf(location));
export const path = computed(() => place.value.path);
/** What its address asks for. */
export const query = computed(() => new URLSearchParams(place.value.query));

/** Asks whether to leave a page on which something was typed. Null when nothing would be lost. */
let whyStay: (() => boolean) | null = null;
/** Counts the steps of this tab, so that a step back that was not wanted can be taken back. */
let step = 0;
let isReturning = false;

/** What the history keeps of a step. */
interface Step {
  step: number;
  scroll: number;
  /** The address of the link that had the focus of the keyboard. */
  link: string | null;
}

/** The link that had it when somebody left the page that they came back to: the keyboard continues there. */
let linkBefore: string | null = null;

/** The address of a page, for a link. */
export function addressOf(to: string): string {
  return root + to.slice(1);
}

/** Shows another page. `replace` leaves no step back to the one before. */
export function go(to: string, { replace = false } = {}): void {
  const [toPath = '', toQuery = ''] = to.split('?');
  const isSamePage = toPath === place.value.path;
  if (!isSamePage && !mayLeave()) return;
  if (!isSamePage) whyStay = null;
  linkBefore = null;
  if (replace) history.replaceState({ step, scroll: 0 }, '', addressOf(to));
  else {
    const link = document.querySelector('a:focus-visible')?.getAttribute('href') ?? null;
    history.replaceState({ step, scroll: scrollY, link }, '');
    step += 1;
    history.pushState({ step, scroll: 0 }, '', addressOf(to));
  }
  place.value = { path: toPath, query: toQuery };
  if (!isSamePage) scrollTo(0, 0);
}

/** Changes what the address of this page asks for; null removes a name. Takes no step. */
export function setQuery(changes: Record<string, string | null>): void {
  const next = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  go(place.value.path + (text === '' ? '' : `?${text}`), { replace: true });
}

/** Follows the buttons of the browser. */
export function followHistory(): void {
  history.scrollRestoration = 'manual';
  step = (history.state as Step | null)?.step ?? 0;
  addEventListener('popstate', ({ state }) => {
    const to = state as Step | null;
    if (isReturning) {
      isReturning = false;
      return;
    }
    const distance = (to?.step ?? 0) - step;
    if (distance !== 0 && !mayLeave()) {
      isReturning = true;
      history.go(-distance);
      return;
    }
    whyStay = null;
    step = to?.step ?? 0;
    linkBefore = to?.link ?? null;
    place.value = placeOf(location);
    scrollSoon(to?.scroll ?? 0);
  });
  addEventListener('beforeunload', (event) => {
    if (whyStay !== null) event.preventDefault();
  });
}

/** Keeps people on this page until `ask` lets them go; null lets them go. */
export function stayUntil(ask: (() => boolean) | null): void {
  whyStay = ask;
}

/** The values of a pattern such as `/jobs/:id` in a path; null if it is another page. */
export function match(pattern: string, of: string): Record<string, string> | null {
  const names = pattern.split('/');
  const values = of.split('/');
  if (names.length !== values.length) return null;
  const found: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? '';
    if (name.startsWith(':')) found[name.slice(1)] = value;
    else if (name !== value) return null;
  }
  return found;
}

/** Whether nothing would be lost, or somebody agrees to lose it. */
export function mayLeave(): boolean {
  return whyStay === null || whyStay();
}

/** Whether something would be lost if this page were left. */
export function isStaying(): boolean {
  return whyStay !== null;
}

/** The link to which the focus returns on a page that somebody came back to; null if that page has none. */
export function findLinkBefore(): HTMLElement | null {
  const links = [...document.querySelectorAll<HTMLElement>('main a')];
  return links.find((link) => link.getAttribute('href') === linkBefore) ?? null;
}

/** Scrolls as soon as the page is long enough, within a second. */
function scrollSoon(to: number, triesLeft = 60): void {
  scrollTo(0, to);
  if (Math.abs(scrollY - to) > 2 && triesLeft > 0) {
    requestAnimationFrame(() => scrollSoon(to, triesLeft - 1));
  }
}

function placeOf({ pathname, search }: Location): Place {
  const of = `/${pathname.slice(root.length).replace(/\/$/, '')}`;
  return { path: of, query: search.slice(1) };
}
