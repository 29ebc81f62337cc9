/** The script of all pages. */

import { render } from 'preact';
import { startClock } from './client/clock.ts';
import { followLinks, takeCode } from './client/link.ts';
import { startLive } from './client/live.ts';
import { applyPreferences } from './client/preferences.ts';
import { followSession, loadSession } from './client/session.ts';
import { startShortcuts } from './client/shortcuts.ts';
import { followPages } from './client/toasts.ts';
import { Page } from './pages/page.tsx';
import { followHistory } from './router.ts';

const place = document.querySelector('#page');
if (place !== null) {
  applyPreferences();
  takeCode();
  followLinks();
  followHistory();
  followSession();
  startClock();
  startLive();
  startShortcuts();
  followPages();
  render(<Page />, place);
  void loadSession();
}
