import { html, type Html } from '../../web/html.js'
import { asObject, type JsonObject } from '../../openapi/document.js'
import { renderMarkdown } from './markdown.js'
import { renderExternalDocs } from './operation.js'
import { readText } from './resolve.js'

/** The document's facts about the API as a whole: description, contact, licence, terms, further documentation. */
export function renderInformation(document: JsonObject, fallback: string | undefined): Html {
  const info = asObject(document['info'])
  const text = readText(info['description']) ?? readText(info['summary']) ?? fallback
  const contact = asObject(info['contact'])
  const licence = asObject(info['license'])
  const email = readText(contact['email'])
  const address = readText(contact['url']) ?? (email === undefined ? undefined : `mailto:${email}`)
  const facts = [
    renderFact('Version', readText(info['version']), undefined),
    renderFact('Contact', readText(contact['name']) ?? email ?? address, address),
    renderFact('Licence', readText(licence['name']) ?? readText(licence['identifier']), readLicenceAddress(licence)),
    renderFact('Terms of service', readText(info['termsOfService']), readText(info['termsOfService'])),
  ]
  return html`${text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel: 2 })}</div>`}
    <dl class="information">${facts}</dl>
    ${renderExternalDocs(document['externalDocs'])}`
}

function renderFact(term: string, text: string | undefined, address: string | undefined): Html | false {
  if (text === undefined) return false
  const content = address === undefined ? html`${text}` : renderLink(text, address)
  return html`<div>
    <dt>${term}</dt>
    <dd>${content}</dd>
  </div>`
}

/** Shows a link, or the text alone if a page may not link to the address. */
function renderLink(text: string, address: string): Html {
  if (!/^(?:https?:|mailto:)/i.test(address)) return html`${text}`
  return html`<a href="${address}" rel="noreferrer noopener">${text}</a>`
}

/** An SPDX identifier links to its page. */
function readLicenceAddress(licence: JsonObject): string | undefined {
  const identifier = readText(licence['identifier'])
  const isPlain = identifier !== undefined && /^[\w.+-]+$/.test(identifier)
  return readText(licence['url']) ?? (isPlain ? `https://spdx.org/licenses/${identifier}.html` : undefined)
}
