import { createHash } from 'node:crypto'

/** The style of the reference, sent within the page; nothing is loaded from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b636d; --line: #dfe3e8; --paper: #ffffff; --sunk: #f5f7f9;
  --link: #0b62c4; --get: #0b62c4; --put: #8a5200; --post: #17713a; --patch: #6b3fb0; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa4af; --line: #30363d; --paper: #101418;
  --sunk: #181e24; --link: #77b5ff; --get: #77b5ff; --put: #f0b35b; --post: #6fd08c; --patch: #c3a3ff; --delete: #ff8f86; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--paper); padding: 8px; }
.frame { display: grid; grid-template-columns: 260px minmax(0, 1fr); max-width: 1180px; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 24px 16px;
  border-right: 1px solid var(--line); font-size: 14px; }
nav h2 { font-size: 12px; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); margin: 20px 0 6px; padding: 0; border: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 3px 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { padding: 24px 32px 80px; min-width: 0; }
h1 { margin-top: 0; font-size: 30px; line-height: 1.2; }
h2 { margin-top: 48px; padding-top: 16px; border-top: 1px solid var(--line); }
h3 { margin: 36px 0 4px; font-size: 18px; }
h4 { margin: 18px 0 6px; font-size: 14px; color: var(--soft); }
:target { scroll-margin-top: 16px; }
.call { font: 600 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; margin: 4px 0 10px; }
.get { color: var(--get); } .put { color: var(--put); } .post { color: var(--post); } .patch { color: var(--patch); }
.delete { color: var(--delete); }
code, pre { font-family: ui-monospace, monospace; font-size: 13.5px; }
code { background: var(--sunk); border-radius: 4px; padding: 1px 4px; overflow-wrap: anywhere; }
pre { background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; overflow: auto;
  max-height: 420px; }
pre code { background: none; padding: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14.5px; }
th, td { text-align: left; vertical-align: top; padding: 7px 12px 7px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: 13px; }
summary { cursor: pointer; color: var(--link); padding: 6px 0; }
.soft { color: var(--soft); }
@media (max-width: 760px) { .frame { display: block; } main { padding: 16px; }
  nav { position: static; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); padding: 16px; } }
`

/** The policy of a page of the reference: its own style by its hash, and nothing else (CSP level 3). */
export const STYLE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
