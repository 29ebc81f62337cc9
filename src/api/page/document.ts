/** The one document of all pages. Its script decides by the address what to show. */

import type { Assets } from './assets.ts';

/** Only scripts, styles, images and requests of this server, nothing inline. No string becomes markup or code (Trusted Types). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const documentHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** The document at a path. Its links are relative, so that it works below any path of a proxy. The script chooses the icon by name, and loads what checks receipts. */
export function documentAt(path: string, assets: Assets): string {
  const { script, receipts, sheet, icon, troubleIcon } = assets;
  const root = '../'.repeat(path.split('/').length - 2) || './';
  const folder = `${root}assets`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>jobd</title>
<link rel="icon" type="image/svg+xml" href="${folder}/${icon.name}" data-calm="${icon.name}" data-trouble="${troubleIcon.name}">
<link rel="stylesheet" href="${folder}/${sheet.name}">
<script type="module" src="${folder}/${script.name}" data-receipts="${receipts.name}"></script>
</head>
<body>
<div id="page"></div>
<noscript><main><h1>jobd</h1><p>These pages need JavaScript. The <a href="${root}docs">API</a> and the command line do not.</p></main></noscript>
</body>
</html>
`;
}
