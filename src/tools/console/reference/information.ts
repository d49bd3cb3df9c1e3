import { html, keepWhole, type Html } from '../../../shared/web/html.js'
import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { renderMarkdown } from './markdown.js'
import { renderExternalDocs } from './operation.js'
import { readText } from './read-schema.js'
import { words } from '../words.js'

export function renderInformation(
  document: JsonObject,
  fallback: string | undefined,
  takenIds: readonly string[] = [],
): Html {
  const info = asObject(document['info'])
  const text = readText(info['description']) ?? readText(info['summary']) ?? fallback
  const contact = asObject(info['contact'])
  const licence = asObject(info['license'])
  const email = readText(contact['email'])
  const address = readText(contact['url']) ?? (email === undefined ? undefined : `mailto:${email}`)
  const facts = [
    renderFact(words().contact, readText(contact['name']) ?? email ?? address, address),
    renderFact(
      words().licence,
      readText(licence['name']) ?? readText(licence['identifier']),
      readLicenceAddress(licence),
    ),
    renderFact(words().terms, readText(info['termsOfService']), readText(info['termsOfService'])),
  ]
  return html`${text !== undefined && html`<div class="markdown">${keepWhole(renderMarkdown(text, { headingLevel: 2, headingIds: true, takenIds }))}</div>`}
  ${facts.some((fact) => fact !== false) && html`<dl class="information">${facts}</dl>`}
  ${renderExternalDocs(document['externalDocs'])}`
}

export interface Heading {
  readonly id: string
  readonly text: Html
  readonly level: number
}

export function listHeadings({ markup }: Html): Heading[] {
  return [...markup.matchAll(/<h([23]) id="([^"]+)">(.*?)<\/h\1>/gs)].map(([, level, id = '', content = '']) => ({
    id,
    text: { markup: content.replaceAll(/<[^>]*>/g, '') },
    level: Number(level),
  }))
}

/**
 * A text whose links to a place of other viewers, such as `#section/Errors` or `#operation/listUsers`, lead to the place here:
 * the last part of the address names it. `places`: the attributes of links by name.
 */
export function redirectAnchors({ markup }: Html, places: ReadonlyMap<string, string>): Html {
  const written = markup.replaceAll(/ href="#(?:[^"/]*\/)+([^"/]+)"/g, (link, name: string) => {
    const place = places.get(normalizeAnchor(name))
    return place === undefined ? link : ` ${place}`
  })
  return { markup: written }
}

export function normalizeAnchor(name: string): string {
  return name.replaceAll(/%20|&[^;]*;|[^\p{L}\p{N}]/gu, '').toLowerCase()
}

function renderFact(term: string, text: string | undefined, address: string | undefined): Html | false {
  if (text === undefined) return false
  const isLink = address !== undefined && /^(?:https?:|mailto:)/i.test(address)
  return html`<div>
    <dt>${term}</dt>
    <dd>${isLink ? html`<a href="${address}" rel="noreferrer noopener">${text}</a>` : text}</dd>
  </div>`
}

function readLicenceAddress(licence: JsonObject): string | undefined {
  const identifier = readText(licence['identifier'])
  const isPlain = identifier !== undefined && /^[\w.+-]+$/.test(identifier)
  return readText(licence['url']) ?? (isPlain ? `https://spdx.org/licenses/${identifier}.html` : undefined)
}
