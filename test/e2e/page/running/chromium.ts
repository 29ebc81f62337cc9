/** Where a Chromium without a window is. */

import { existsSync } from 'node:fs';

/** Debian's packages chromium-headless-shell and chromium. */
const usual = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const named = process.env['JOBD_CHROMIUM'];

/** The path of its program, or undefined. */
export const chromiumPath = named ?? usual.find((path) => existsSync(path));

/** Why what needs a browser cannot run, or false. */
export const noChromium =
  chromiumPath === undefined
    ? 'no Chromium here: install chromium-headless-shell, or name one in JOBD_CHROMIUM'
    : false;
