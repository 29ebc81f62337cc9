/** Copying. On plain http off this machine browsers have no clipboard API, so there are two more ways. */

/** What happened: it was copied, or it is selected and the person copies it. */
export type Copied = 'copied' | 'selected';

/** Copies the text of an element, or the text that it stands for. */
export async function copyText(
  element: Element,
  text = element.textContent ?? '',
): Promise<Copied> {
  // Missing where the page has no secure context, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  try {
    if (clipboard !== undefined) {
      await clipboard.writeText(text);
      return 'copied';
    }
  } catch {
    // Not permitted: the older way may work.
  }
  getSelection()?.selectAllChildren(element);
  const give = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  addEventListener('copy', give);
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without a secure context
  const isCopied = document.execCommand('copy');
  removeEventListener('copy', give);
  return isCopied ? 'copied' : 'selected';
}
