import { html, type Html } from '../../../shared/web/html.js'
import { readText, resolve, readSchema, describeType } from './read-schema.js'
import type { Reference } from './operation.js'
import { renderReferenceFrame, type ReferencePageOptions } from './frame.js'
import { renderSchema } from './schema.js'
import { listMembers, formatCount } from './schema-rules.js'
import { findKnownValue } from './examples.js'
import { listNamedSchemas, type NamedSchema } from './named-schemas.js'
import { renderExamples } from './responses.js'
import { words } from '../words.js'

export function renderSchemasPage(reference: Reference, options: ReferencePageOptions): string {
  const { api } = reference
  return renderReferenceFrame(reference, options, {
    title: words().schemas,
    up: '../',
    current: 'schemas',
    content: html`<div class="crumb">
        <h1><a href="../${api.name}">${api.title}</a></h1>
      </div>
      <h2>${words().schemas}</h2>
      ${renderSchemaList(reference, 'schemas')}`,
  })
}

export function renderSchemaList({ document }: Reference, folder: string): Html {
  return html`<ul class="schemas">
    ${listNamedSchemas(document).map(({ key, name, schema }) => {
      const { title, description } = resolve(document, schema)
      const [text = ''] = (readText(description) ?? readText(title) ?? '').split('\n', 1)
      const { length } = listMembers(readSchema(document, schema))
      const count = length === 0 ? describeType(document, schema) : formatCount(length, words().members)
      return html`<li>
        <a class="chevron" href="${folder}/${key}"
          ><code>${name}</code> <span class="note">${text === name || text === '' ? count : text}</span></a
        >
      </li>`
    })}
  </ul>`
}

export function renderSchemaPage(reference: Reference, named: NamedSchema, options: ReferencePageOptions): string {
  const { api, document } = reference
  const { name, schema } = named
  // Members of a schema that no operation shows have examples that are made.
  const value = findKnownValue(document, schema)
  const content = { schema, ...(value !== undefined && { example: value }) }
  return renderReferenceFrame(reference, options, {
    title: name,
    up: '../../',
    current: named,
    content: html`<div class="crumb">
        <h1><a href="../../${api.name}">${api.title}</a></h1>
        <a href="../schemas">${words().schemas}</a>
      </div>
      <h2>${name}</h2>
      <div class="pair">
        <div class="facts">${renderSchema(document, schema)}</div>
        <div class="beside">
          <div class="codes">
            ${renderExamples(document, 'example', [[words().example, { 'application/json': content }]])}
          </div>
        </div>
      </div>`,
  })
}
