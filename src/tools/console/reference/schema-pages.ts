import { renderCode } from '../../../shared/web/parts.js'
import { html, type Html } from '../../../shared/web/html.js'
import { listBodyTexts } from './body-contents.js'
import { readText, resolve } from './resolve.js'
import type { Reference } from './operation.js'
import { renderReferenceFrame, type ReferencePageOptions } from './frame.js'
import { renderSchema } from './schema.js'
import { listNamedSchemas, type NamedSchema } from './named-schemas.js'
import { words } from '../words.js'

export function renderSchemasPage(reference: Reference, options: ReferencePageOptions): string {
  const { api } = reference
  return renderReferenceFrame(reference, options, {
    title: words().schemas,
    root: '../../',
    content: html`<h1><a href="../${api.name}">${api.title}</a></h1>
      <h2>${words().schemas}</h2>
      ${renderSchemaList(reference, 'schemas')}`,
  })
}

/** `folder`: the relative path from the page to the schemas. */
export function renderSchemaList({ document }: Reference, folder: string): Html {
  return html`<ul class="schemas">
    ${listNamedSchemas(document).map(({ key, name, schema }) => {
      const { title, description } = resolve(document, schema)
      const [text] = (readText(description) ?? readText(title) ?? '').split('\n', 1)
      return html`<li>
        <a href="${folder}/${key}"><code>${name}</code></a> <span class="note">${text !== name && text}</span>
      </li>`
    })}
  </ul>`
}

export function renderSchemaPage(
  reference: Reference,
  { name, schema }: NamedSchema,
  options: ReferencePageOptions,
): string {
  const { api, document } = reference
  return renderReferenceFrame(reference, options, {
    title: name,
    root: '../../../',
    content: html`<h1><a href="../../${api.name}">${api.title}</a></h1>
      <p class="alone"><a href="../schemas">${words().schemas}</a></p>
      <h2>${name}</h2>
      <div class="pair">
        <div>${renderSchema(document, schema)}</div>
        <div class="beside">
          ${listBodyTexts(document, 'application/json', { schema }, 'writeOnly').map(
            ({ label, text }) =>
              html`<h3>${label}</h3>
                <pre tabindex="0">${renderCode(text, 'json')}</pre>`,
          )}
        </div>
      </div>`,
  })
}
