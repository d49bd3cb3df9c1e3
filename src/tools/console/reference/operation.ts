import type { Api } from '../../../index.js'
import { html, type Html } from '../../../shared/web/html.js'
import { renderChip, renderPill, renderProperty, renderCode } from '../../../shared/web/parts.js'
import type { JsonObject, Operation } from '../../../shared/openapi/document.js'
import { readSecurity, type Security } from '../../../shared/openapi/security.js'
import { listBodyContents, isLeftOut, listBodyTexts, type BodyContent } from './body-contents.js'
import { createFieldRenderer, type FieldRenderer } from './fields.js'
import { renderDescription, renderMarkdown } from './markdown.js'
import { listCallbacks, listParameters, type Parameter, type ReferenceOperation } from './operations.js'
import { readSchema, readText, resolve, resolveEntries } from './read-schema.js'
import { createSamples } from '../../../shared/samples/samples.js'
import { createSampleCall, readAccepted, listCodeSamples } from './sample-call.js'
import { renderContents, renderExamples, renderResponses, renderMediaType } from './responses.js'
import { hasParts, renderAbout, renderSchema } from './schema.js'
import { textWith, words } from '../words.js'
import { renderSelectOf, renderTextarea } from '../../../shared/web/form-field.js'
import { listFormFields } from './form-fields.js'

export interface Reference {
  readonly api: Api
  readonly document: JsonObject
  readonly operations: readonly ReferenceOperation[]
}

export function renderOperation(reference: Reference, operation: ReferenceOperation): Html {
  const { api, document } = reference
  const { isWebhook } = operation
  const description = renderDescription(
    readText(operation.operation['description']) ?? operation.pathItem['description'],
    4,
  )
  const isShort = description === false || description.markup.length < MAX_LEAD
  return html`<article class="operation-content">
    ${operation.deprecated && html`<p class="notice warn">${words().deprecatedOperation}</p>`} ${isShort && description}
    ${renderExternalDocs(operation.operation['externalDocs'])}
    ${!isWebhook && renderSecurity(api, readSecurity(api, document, operation.operation))}
    <div class="pair">
      <div class="facts">
        ${!isShort && description}
        ${
          isWebhook
            ? renderSent(document, operation)
            : html`${renderParameters(document, words().parameters, listParameters(document, operation))}
              ${renderBodyFacts(document, operation)}`
        }
      </div>
      <div class="beside">
        ${!isWebhook && renderCall(reference, operation)}
        <div class="codes">
          ${!isWebhook && renderSamples(reference, operation)}
          ${renderExamples(document, `${operation.key}-example`, [...(isWebhook ? listSent(document, operation) : []), ...listAnswers(document, operation)])}
        </div>
      </div>
      <div class="answers">
        ${renderResponses(document, operation.operation['responses'], reference.operations)}
        ${renderCallbacks(reference, operation)}
      </div>
    </div>
  </article>`
}

/** A longer description stands in the left column: above both it would push the form out of sight. */
const MAX_LEAD = 600

function listAnswers(document: JsonObject, { operation }: Operation): [status: string, content: unknown][] {
  return resolveEntries(document, operation['responses'])
    .filter(([status]) => !status.startsWith('x-'))
    .toSorted(([a], [b]) => Number(b.startsWith('2')) - Number(a.startsWith('2')))
    .map(([status, { content }]) => [status, content])
}

function listSent(document: JsonObject, { operation }: Operation): [label: string, content: unknown][] {
  return [[words().whatIsSent, resolve(document, operation['requestBody'])['content']]]
}

export function renderExternalDocs(given: unknown): Html | false {
  const { url, description } = resolve(Object.create(null) as JsonObject, given)
  const address = readText(url)
  if (address === undefined) return false
  const link = `[${(readText(description) ?? address).replaceAll(/[[\]\\]/g, '\\$&')}](<${address}>)`
  return html`<div class="external markdown">${renderMarkdown(link)}</div>`
}

function renderCall({ api, document }: Reference, operation: ReferenceOperation): Html {
  const { alternatives, optional } = readSecurity(api, document, operation.operation)
  const fields = createFieldRenderer(document, operation.key)
  const parameters = listParameters(document, operation)
  const accepted = readAccepted(document, operation)
  return html`<form
    class="call card"
    method="post"
    novalidate
    data-method="${operation.method}"
    data-path="${operation.path}"
    data-security="${alternatives.length === 0 ? 'none' : optional ? 'optional' : 'required'}"
    data-scopes="${alternatives[0]?.join(' ') ?? ''}"
    ${accepted !== undefined && html` data-accept="${accepted}"`}
  >
    <h4>${words().request}</h4>
    ${
      parameters.length > 0 &&
      html`<fieldset class="parameters">
        <legend class="unseen">${words().parameters}</legend>
        ${parameters.map((parameter) => fields.renderParameter(parameter))}
      </fieldset>`
    }
    ${renderBody(document, operation, fields)}
    <p class="actions">
      <button type="submit" class="button execute" disabled>${words().send}</button>
      ${(parameters.length > 0 || listBodyContents(document, operation).length > 0) && html`<button type="button" class="button quiet reset">${words().reset}</button>`}
    </p>
    <noscript><p class="note">${words().allowScripts}</p></noscript>
    <section class="answer" aria-live="polite" hidden></section>
    ${listCodeSamples(operation.operation).map(
      ({ label, code }) =>
        html`<details>
          <summary>${textWith('asProvider', { label })}</summary>
          <pre tabindex="0"><code>${code}</code></pre>
        </details>`,
    )}
  </form>`
}

function renderSamples({ api, document }: Reference, operation: ReferenceOperation): Html {
  return html`<section class="samples" data-samples>
    ${createSamples(createSampleCall(api, document, operation)).map(
      ({ language, label, code }, at) =>
        html`<details name="samples" ${at === 0 && html` open`}>
          <summary>${label}</summary>
          <pre tabindex="0">${renderCode(code, language)}</pre>
        </details>`,
    )}
  </section>`
}

function renderParameters(document: JsonObject, title: string, parameters: readonly Parameter[]): Html | false {
  return (
    parameters.length > 0 &&
    html`<section>
      <h4>${title}</h4>
      <ul class="properties">
        ${parameters.map(({ name, place, required, deprecated, description, schema }) =>
          renderProperty(
            {
              name,
              isOld: deprecated,
              about: html`${renderPill(place)} ${renderAbout(document, schema, required && 'required')}`,
            },
            html`${renderDescription(description ?? readSchema(document, schema)['description'], 5)}
            ${
              hasParts(document, schema) &&
              html`<details>
                <summary>${words().details}</summary>
                ${renderSchema(document, schema)}
              </details>`
            }`,
          ),
        )}
      </ul>
    </section>`
  )
}

function renderSecurity(api: Api, { optional, alternatives }: Security): Html {
  if (alternatives.length === 0) return html`<p class="scopes">${words().noCredential}</p>`
  const { noneOrToken, noneOrKey, anyToken, anyKey, or, scope: one, scopes: several } = words()
  const isOAuth = api.scheme === 'oauth2'
  const isAny = alternatives.some((scopes) => scopes.length === 0)
  const general = optional ? (isOAuth ? noneOrToken : noneOrKey) : isOAuth ? anyToken : anyKey
  const intro = (optional || isAny) && html`<p class="scopes">${general}</p>`
  if (isAny) return html`${intro}`
  const separated = alternatives.map(
    (scopes, at) => html`${at > 0 && ` ${or} `}${scopes.map((scope) => html` ${renderChip(scope)}`)}`,
  )
  const isOne = alternatives.length === 1 && alternatives[0]?.length === 1
  return html`${intro}
    <p class="scopes">${isOne ? one : several}${separated}</p>`
}

function renderSent(document: JsonObject, webhook: Operation): Html {
  const body = resolve(document, webhook.operation['requestBody'])
  const parameters = listParameters(document, webhook)
  return html`<section class="sent">
    ${renderParameters(document, words().whatIsSent, parameters)}
    ${parameters.length === 0 && html`<h4>${words().whatIsSent}</h4>`} ${renderDescription(body['description'], 5)}
    ${renderContents(document, body['content'])}
  </section>`
}

function renderCallbacks({ document, operations }: Reference, { key, operation }: ReferenceOperation): Html | false {
  const callbacks = listCallbacks(document, operation)
  return (
    callbacks.length > 0 &&
    html`<section class="callbacks">
      <h4>${words().callbacks}</h4>
      ${callbacks.map(
        (each, at) =>
          html`<details class="response">
            <summary><span class="choice">${each.name}</span> <code>${each.method} ${each.path}</code></summary>
            ${renderDescription(readText(each.operation['description']) ?? each.operation['summary'], 5)}
            ${renderSent(document, each)} ${renderResponses(document, each.operation['responses'], operations)}
            ${renderExamples(document, `${key}-callback-${at}`, [...listSent(document, each), ...listAnswers(document, each)])}
          </details>`,
      )}
    </section>`
  )
}

function renderBody(document: JsonObject, operation: Operation, fields: FieldRenderer): Html | false {
  const body = resolve(document, operation.operation['requestBody'])
  const contents = listBodyContents(document, operation)
  if (contents.length === 0) return false
  const isEmpty = isLeftOut(document, operation)
  const id = fields.createId('media-type')
  return html`<fieldset class="body" data-required="${String(body['required'] === true)}">
    <legend class="unseen">${words().requestBody}</legend>
    ${
      /^(?:GET|HEAD)$/.test(operation.method) &&
      html`<p class="note">${textWith('noBody', { method: operation.method })}</p>`
    }
    ${
      contents.length > 1 &&
      html`<div class="field">
        <label for="${id}">${words().mediaType}</label>
        ${renderSelectOf(
          html`id="${id}" data-role="media-type"`,
          contents.map(({ mediaType }) => html`<option>${mediaType}</option>`),
        )}
      </div>`
    }
    ${contents.map((content, index) => html`<div data-media="${content.mediaType}" data-kind="${content.kind}" ${index > 0 && html` hidden`}>${renderContent(document, content, { fields, isEmpty })}</div>`)}
  </fieldset>`
}

function renderBodyFacts(document: JsonObject, operation: Operation): Html | false {
  const body = resolve(document, operation.operation['requestBody'])
  const contents = listBodyContents(document, operation)
  if (contents.length === 0) return false
  const schemas = new Map<unknown, string[]>()
  for (const { mediaType, members } of contents) {
    const schema = members['schema'] ?? members['itemSchema']
    const known = [...schemas].find(([each]) => JSON.stringify(each) === JSON.stringify(schema))
    if (known) known[1].push(mediaType)
    else schemas.set(schema, [mediaType])
  }
  return html`<section>
    <h4>${body['required'] === true ? words().requestBody : words().requestBodyOptional}</h4>
    ${renderDescription(body['description'], 5)}
    ${[...schemas].map(([schema, mediaTypes], at) => renderMediaType(document, mediaTypes, schema, at > 0 && []))}
  </section>`
}

interface ContentOptions {
  readonly fields: FieldRenderer
  readonly isEmpty: boolean
}

function renderContent(document: JsonObject, content: BodyContent, options: ContentOptions): Html {
  const { fields, isEmpty } = options
  if (content.kind === 'fields') {
    const properties = listFormFields(document, content)
    return html`${properties.map((each) => fields.renderProperty(isEmpty ? { ...each, required: false, value: undefined } : each))}`
  }
  if (content.kind === 'file') {
    const id = fields.createId('body-file')
    return html`<div class="field">
      <label for="${id}">${words().file}</label>
      <input type="file" id="${id}" data-role="body" />
    </div>`
  }
  return renderEditor(document, content, options)
}

function renderEditor(document: JsonObject, { mediaType, members }: BodyContent, { fields, isEmpty }: ContentOptions) {
  const id = fields.createId('body')
  const exampleId = fields.createId('example')
  const examples = listBodyTexts(document, mediaType, members, 'readOnly')
  const texts = isEmpty ? [{ label: words().none, text: '' }, ...examples] : examples
  const text = texts[0]?.text ?? ''
  return html`${
      texts.length > 1 &&
      html`<div class="field">
        <label for="${exampleId}">${words().example}</label>
        ${renderSelectOf(
          html`id="${exampleId}" data-role="example"`,
          texts.map((each) => html`<option value="${each.text}">${each.label}</option>`),
        )}
      </div>`
    }
    <div class="field">
      <label for="${id}">${words().body}</label>
      ${renderTextarea(html`id="${id}" data-role="body" rows="${Math.min(24, Math.max(4, text.split('\n').length))}"${examples.some((each) => each.text.includes('\r\n')) && html` data-line-break="crlf"`} spellcheck="false"`, text)}
      ${examples.length === 0 && html`<div class="hint">${words().noExample}</div>`}
    </div>`
}
