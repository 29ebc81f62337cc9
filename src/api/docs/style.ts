/** The style of the reference page: light or dark by preference, one column on a phone. */
export const stylesheet = `\
:root {
  --page: #ffffff; --panel: #f6f7f9; --line: #e2e5ea; --ink: #1b1f27; --quiet: #5b6472; --link: #1d5fd1;
  --code: #f0f2f5; --code-ink: #1b1f27; --key: #1d5fd1; --string: #1b7340; --literal: #a8480c;
  --get: #1d5fd1; --post: #1b7340; --patch: #9a5a00; --put: #9a5a00; --delete: #c02637;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11141a; --panel: #171b23; --line: #2a303b; --ink: #e4e8ef; --quiet: #98a2b3; --link: #83b0ff;
    --code: #1e242e; --code-ink: #e4e8ef; --key: #8fb8ff; --string: #86d3a2; --literal: #f0b07a;
    --get: #83b0ff; --post: #7fd19c; --patch: #f2bd6b; --put: #f2bd6b; --delete: #ff8f99;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif;
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre, .method, .header, .marks span:first-child { font-family: var(--mono); font-size: 0.86em; }
:not(pre) > code { background: var(--code); border-radius: 4px; padding: 0.1em 0.35em; overflow-wrap: anywhere; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: 0.5rem; z-index: 1; }

nav { border-bottom: 1px solid var(--line); background: var(--panel); padding: 1.25rem; font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.22rem 0; color: var(--ink); }
nav .method { flex: 0 0 3.4rem; font-size: 0.68rem; background: none; padding: 0; text-align: left; }
.brand { margin: 0 0 0.5rem; font-size: 1.05rem; }
.brand a { color: var(--ink); }
.brand span { color: var(--quiet); font-size: 0.8rem; }
.group { margin: 1.1rem 0 0.2rem; font-size: 0.72rem; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase; }
.group a { color: var(--quiet); }
.names { display: flex; flex-wrap: wrap; column-gap: 0.9rem; }

main { padding: 1.5rem 1.25rem 5rem; max-width: 82rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.5rem 0 1rem; letter-spacing: -0.02em; }
h1 span { color: var(--quiet); font-weight: 400; font-size: 1.1rem; letter-spacing: 0; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 0.25rem; letter-spacing: -0.01em; }
h2 + p { margin-top: 0; color: var(--quiet); }
h3 { font-size: 1.1rem; line-height: 1.3; margin: 1.75rem 0 0.5rem; }
h3 a { color: inherit; }
h4 { font-size: 0.72rem; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase; color: var(--quiet); margin: 1.5rem 0 0.5rem; }
header > p, header > h3 { max-width: 44rem; }
header > h3 { font-size: 1rem; }
.base { display: flex; flex-wrap: wrap; gap: 0.3rem 0.75rem; align-items: baseline; }
.base > span { color: var(--quiet); }
section { margin-top: 3.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }

article { padding: 1.75rem 0; }
article + article { border-top: 1px solid var(--line); }
article h3 { margin: 0 0 0.6rem; font-size: 1.2rem; }
.text > p { margin: 0.6rem 0; max-width: 44rem; }
.route { display: flex; gap: 0.6rem; align-items: center; }
.route code { background: none; padding: 0; font-size: 0.95rem; }
.method { font-weight: 600; font-size: 0.75rem; border-radius: 4px; padding: 0.15em 0.55em; background: var(--code); }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); }
.put { color: var(--put); } .delete { color: var(--delete); }
.marks { display: flex; flex-wrap: wrap; gap: 0.4rem 0.75rem; color: var(--quiet); font-size: 0.9rem; }
.marks span + span { border: 1px solid var(--line); border-radius: 99px; padding: 0 0.6em; }

table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
tr { border-top: 1px solid var(--line); }
tbody th { text-align: left; vertical-align: top; font-weight: 400; padding: 0.6rem 1rem 0.6rem 0; width: 11.5rem; }
td { vertical-align: top; padding: 0.6rem 0; }
th code { background: none; padding: 0; font-weight: 600; font-size: 0.92em; }
.required { display: block; color: var(--delete); font-size: 0.75rem; }
.rules { display: flex; flex-wrap: wrap; gap: 0 0.9rem; color: var(--quiet); font-size: 0.86rem; }
.rules i { font-style: normal; opacity: 0.8; }
.rules code { color: var(--code-ink); font-size: 0.92em; }

.answers { margin: 0; font-size: 0.92rem; }
.answers div { display: grid; grid-template-columns: 3.25rem 1fr; border-top: 1px solid var(--line); padding: 0.4rem 0; }
.answers dt { font-family: var(--mono); font-size: 0.86em; line-height: 1.86; font-weight: 600; }
.answers dd { margin: 0; }
.success { color: var(--post); } .failure { color: var(--quiet); }
.header { color: var(--quiet); border: 1px solid var(--line); border-radius: 4px; padding: 0 0.35em; font-size: 0.78rem; white-space: nowrap; }

.sample { min-width: 0; }
pre {
  margin: 0; padding: 0.9rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  overflow-x: auto; line-height: 1.5; font-size: 0.86rem; color: var(--code-ink);
}
pre code { font-size: 0.92em; }
.key { color: var(--key); } .string { color: var(--string); } .literal { color: var(--literal); }
.shape > table { max-width: 56rem; }

@media (max-width: 34rem) {
  table, tbody, tr, tbody th, td { display: block; width: auto; }
  tbody th { padding: 0.7rem 0 0; }
  td { padding: 0.1rem 0 0.7rem; }
  .required { display: inline; margin-left: 0.5rem; }
}
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); padding: 1.75rem 1.5rem; }
  main { padding: 2rem 3rem 6rem; }
  .names { display: block; }
}
@media (min-width: 75rem) {
  article:not(.shape) { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 3rem; }
  .sample { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; }
  .sample h4:first-child { margin-top: 0.3rem; }
}
@media print { nav { display: none; } body { display: block; } }
`;
