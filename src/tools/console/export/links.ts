import type { Api } from '../../../index.js'
import { html, type Html } from '../../../shared/web/html.js'
import { textWith, words } from '../words.js'

/** The links to the other forms of a reference. `folder`: the relative path from the page to the reference's folder, `apis/`. */
export function renderExportLinks({ name, title }: Api, folder: string): Html[] {
  const exports = [
    ['/openapi.json', words().openApi],
    ['/openapi.yaml', words().asYaml],
    ['.md', 'Markdown'],
  ] as const
  return exports.map(
    ([extension, label]) =>
      html`<a href="${folder}${name}${extension}"
        >${label}<span class="unseen">${textWith('ofApi', { api: title })}</span></a
      > `,
  )
}

/** Links for the head of a reference, by which programs find its other forms. */
export function renderAlternates({ name, title }: Api, folder: string): Html {
  return html`<link rel="alternate" type="text/markdown" title="${title}" href="${folder}${name}.md" />
    <link rel="alternate" type="application/json" title="OpenAPI" href="${folder}${name}/openapi.json" />`
}
