import { Html, html } from './html.ts'
import { STYLE } from './style.ts'

/** A group of links in the side of a page. */
export interface LinkGroup {
  title: string
  links: { href: string; text: string }[]
}

/** A whole page of the reference. */
export function layout(title: string, groups: readonly LinkGroup[], main: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Workly</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="frame">
<nav aria-label="Reference">
<ul><li><a href="/docs">API reference</a></li><li><a href="/docs/errors">Errors</a></li>
<li><a href="/v1/openapi.json">OpenAPI document</a></li></ul>
${groups.map(linkGroup)}
</nav>
<main id="main">${main}</main>
</div>
</body>
</html>
`.text
}

function linkGroup({ title, links }: LinkGroup): Html {
  const items = links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)
  return html`<h2>${title}</h2><ul>${items}</ul>`
}
