/** The script of all pages. */

import { render } from 'preact';
import { followLinks, takeCode } from './client/link.ts';
import { Page } from './pages/page.tsx';
import { followHistory } from './router.ts';
import { followOtherTabs, loadSession } from './client/session.ts';

const place = document.querySelector('#page');
if (place !== null) {
  takeCode();
  followLinks();
  followHistory();
  followOtherTabs();
  render(<Page />, place);
  void loadSession();
}
