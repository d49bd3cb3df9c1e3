import type { Api } from '../../../index.js'
import { escapeHidden } from '../../../shared/lib/visible-text.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { createDocumentResource, type MakeResource } from '../resource.js'
import { writeReference } from './markdown.js'
import { stringifyYaml } from './yaml.js'
import { html, type Html } from '../../../shared/web/html.js'
import { textWith } from '../words.js'

/** The forms in which programs get the document of an API. */
export function listExports(
  api: Api,
  document: JsonObject,
  options: { readonly registration: boolean },
): [path: string, resource: MakeResource][] {
  const path = `/apis/${api.name}`
  return [
    [
      `${path}.md`,
      createDocumentResource(MARKDOWN_TYPE, () => escapeHidden(`${writeReference(api, document, options)}\n`)),
    ],
    [
      `${path}/openapi.json`,
      createDocumentResource(JSON_TYPE, () => escapeHidden(`${JSON.stringify(document, null, 2)}\n`)),
    ],
    // RFC 9512.
    [`${path}/openapi.yaml`, createDocumentResource('application/yaml', () => stringifyYaml(document))],
  ]
}

/** RFC 7763. */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

/** The links to the other forms of a reference. `folder`: the relative path from the page to the reference's folder, `apis/`. */
export function renderExportLinks({ name, title }: Api, folder: string): Html[] {
  const exports = [
    ['/openapi.json', 'JSON'],
    ['/openapi.yaml', 'YAML'],
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
