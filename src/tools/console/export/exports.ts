import type { Api } from '../../../index.js'
import { escapeHidden } from '../../../shared/lib/visible-text.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { createDocumentResource, type MakeResource } from '../router.js'
import { writeReference } from './markdown.js'
import { stringifyYaml } from './yaml.js'
import { html, type Html } from '../../../shared/web/html.js'
import { textWith } from '../words.js'
import type { Site } from '../page.js'
import { toLine } from './schema-text.js'

export function listExports(
  api: Api,
  document: JsonObject,
  registration: boolean,
): [path: string, resource: MakeResource][] {
  const path = `/apis/${api.name}`
  return [
    [
      `${path}.md`,
      createDocumentResource(MARKDOWN_TYPE, () => escapeHidden(`${writeReference(api, document, registration)}\n`)),
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

export function renderAlternates({ name, title }: Api, folder: string): Html {
  return html`<link rel="alternate" type="text/markdown" title="${title}" href="${folder}${name}.md" />
    <link rel="alternate" type="application/json" title="OpenAPI" href="${folder}${name}/openapi.json" />`
}

/** The index in the format of llmstxt.org. Links are relative, as the console may be mounted at any path. */
export function writeLlmsIndex({ title, apis, documents, registration, guides, changelog }: Site): string {
  const documented = apis.filter(({ name }) => documents.has(name))
  const texts = changelog ? [...guides, changelog] : guides
  const parts = [
    `# ${toLine(title)}`,
    `> ${apis.length === 1 ? 'One HTTP API' : `${apis.length} HTTP APIs`} for the applications of developers. Each API has its own address and credentials.`,
    ...apis.map(describeApi),
    registration
      ? 'Key and secret come by e-mail after an application is registered: `POST` `{"name": "...", "contact": "name@example.com", "apis": ["..."]}` as JSON to [register](register), or fill in the form there. Ask the person you work for first.'
      : 'Key and secret come from the operator of this platform.',
    documented.length > 0 && '## APIs',
    documented
      .map((api) =>
        writeLink(
          api.title,
          `apis/${api.name}.md`,
          api.description ?? 'operations, parameters and schemas, with commands',
        ),
      )
      .join('\n'),
    texts.length > 0 && '## Guides',
    texts.map((text) => writeLink(text.title, `${text.path}.md`)).join('\n'),
    documented.length > 0 && '## Optional',
    documented.map((api) => writeLink(`${api.title}: OpenAPI document`, `apis/${api.name}/openapi.json`)).join('\n'),
  ]
  return `${parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n')}\n`
}

function describeApi({ name, title, resource, tokenEndpoint, keyHeaders }: Api): string {
  const usage =
    tokenEndpoint === undefined
      ? `send the key of the application in the header \`${keyHeaders[0]}\``
      : `request an access token at ${tokenEndpoint} (OAuth 2.0 client credentials: \`client_id\` is the key of the application, \`client_secret\` its secret), and send it as \`Authorization: Bearer $ACCESS_TOKEN\``
  return `${toLine(title)} (\`${name}\`) is at ${resource}: ${usage}.`
}

function writeLink(title: string, path: string, note?: string): string {
  return `- [${toLine(title).replaceAll(/[[\]\\]/g, '\\$&')}](${path})${note === undefined ? '' : `: ${toLine(note)}`}`
}
