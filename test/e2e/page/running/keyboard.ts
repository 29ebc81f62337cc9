/** What the Tab key reaches on a page, and whether one sees where it is. */

import type { Page } from 'playwright-core';

/** Where Tab has been on a page. */
export interface Tour {
  /** Controls and links that it did not reach. */
  missed: string[];
  /** What it reached, but nobody can use. */
  useless: string[];
  /** What it reached, but nobody could see there. */
  unseen: string[];
  /** What the pointer may press, but the keyboard cannot. */
  pointerOnly: string[];
  /** How many places it stopped at. */
  stops: number;
}

/** No page has more stops; a trap ends here. */
const mostStops = 700;

/** Presses Tab until it has been everywhere. The page must not change meanwhile. */
export async function tourOf(page: Page): Promise<Tour> {
  await page.evaluate(prepare);
  const seen = new Set<string>();
  const unseen: string[] = [];
  const useless: string[] = [];
  let last = '';
  for (let presses = 0; presses < mostStops; presses += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(look);
    // A date has several places to stop at.
    if (stop !== null && stop.id === last) continue;
    if (stop === null || seen.has(stop.id)) break;
    last = stop.id;
    seen.add(stop.id);
    if (stop.unseen !== null) unseen.push(`${stop.html}: ${stop.unseen}`);
    if (!stop.isUsable) useless.push(stop.html);
  }
  const { missed, pointerOnly } = await page.evaluate(leftOver, [...seen]);
  return { missed, useless, unseen, pointerOnly, stops: seen.size };
}

/** Begins from the top. The functions here run in the page, so they use nothing from outside of themselves. */
function prepare(): void {
  // Tab continues from what had the focus last.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
  scrollTo(0, 0);
  for (const marked of document.querySelectorAll('[data-stop]'))
    marked.removeAttribute('data-stop');
}

interface Stop {
  id: string;
  html: string;
  isUsable: boolean;
  /** Why nobody sees the focus, or null. */
  unseen: string | null;
}

/** Where the focus is; null if it has left the page. */
function look(): Stop | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return null;
  element.dataset['stop'] ??= String(document.querySelectorAll('[data-stop]').length + 1);
  const html = element.outerHTML.slice(0, 120);
  const scrolls =
    element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
  const isUsable =
    scrolls ||
    element.matches(
      'a[href], button, input, select, textarea, summary, [role=slider], [role=region]',
    );
  return { id: element.dataset['stop'], html, isUsable, unseen: whyUnseen(element) };

  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the browser gets this function alone
  function whyUnseen(focused: HTMLElement): string | null {
    const { outlineStyle, outlineWidth, outlineOffset, outlineColor } = getComputedStyle(focused);
    const width = parseFloat(outlineWidth);
    if (outlineStyle === 'none' || width < 2) return `outline ${outlineStyle} ${outlineWidth}`;
    if (outlineColor.endsWith(', 0)')) return 'a clear outline';
    const beyond = width + parseFloat(outlineOffset);
    const rects = [...focused.getClientRects()];
    const box = {
      left: Math.min(...rects.map(({ left }) => left)) - beyond,
      right: Math.max(...rects.map(({ right }) => right)) + beyond,
      top: Math.min(...rects.map(({ top }) => top)) - beyond,
      bottom: Math.max(...rects.map(({ bottom }) => bottom)) + beyond,
    };
    const slack = 0.6;
    for (let around = focused.parentElement; around !== null; around = around.parentElement) {
      if (around === document.body) break;
      const style = getComputedStyle(around);
      const isScroller = style.overflowX !== 'visible' || style.overflowY !== 'visible';
      const isClipping =
        isScroller ||
        /paint|strict|content/.test(style.contain) ||
        style.contentVisibility === 'auto';
      if (!isClipping) continue;
      const outer = around.getBoundingClientRect();
      const inner = {
        left: outer.left + around.clientLeft,
        top: outer.top + around.clientTop,
        right: outer.left + around.clientLeft + around.clientWidth,
        bottom: outer.top + around.clientTop + around.clientHeight,
      };
      const cut = [
        ['left', inner.left - box.left],
        ['right', box.right - inner.right],
        ['top', inner.top - box.top],
        ['bottom', box.bottom - inner.bottom],
      ] as const;
      for (const [side, by] of cut) {
        if (by > slack)
          return `${side} cut by ${by.toFixed(1)} px by ${around.tagName}.${around.className}`;
      }
    }
    if (
      box.top < -beyond ||
      box.left < -beyond ||
      box.bottom > innerHeight + beyond ||
      box.right > innerWidth + beyond
    ) {
      // Of a text the line with the caret is shown.
      if (box.bottom - box.top < innerHeight && !focused.matches('textarea'))
        return `out of the window: ${JSON.stringify(box)}`;
    }
    const [first] = rects;
    if (first !== undefined) {
      const x = Math.max(1, first.left + Math.min(first.width / 2, 20));
      const y = Math.max(1, first.top + Math.min(first.height / 2, 20));
      const top = document.elementFromPoint(x, y);
      if (top !== null && !focused.contains(top) && !top.contains(focused))
        return `covered by ${top.outerHTML.slice(0, 80)}`;
    }
    return null;
  }
}

/** What nobody got to. */
function leftOver(seen: string[]): { missed: string[]; pointerOnly: string[] } {
  const controls = 'a[href], button, input, select, textarea, summary, [role=slider]';
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the browser gets this function alone
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false });
  const missed = [...document.querySelectorAll<HTMLElement>(controls)].filter((element) => {
    if (!isShown(element) || element.matches(':disabled')) return false;
    if (seen.includes(element.dataset['stop'] ?? '')) return false;
    // The arrow keys lead to them.
    if (element.closest('[role=toolbar], [role=table]') !== null) return false;
    return !(element instanceof HTMLInputElement && element.type === 'radio' && !element.checked);
  });
  const pointerOnly = [...document.querySelectorAll<HTMLElement>('body *')].filter(
    (element) =>
      getComputedStyle(element).cursor === 'pointer' &&
      isShown(element) &&
      element.closest(`${controls}, label`) === null,
  );
  const [first, second] = [missed, pointerOnly].map((all) =>
    all.map(({ outerHTML }) => outerHTML.slice(0, 120)),
  );
  return { missed: first ?? [], pointerOnly: second ?? [] };
}
