import type { Api } from '../../../index.js'
import { html, type Html } from '../../../shared/web/html.js'
import { renderChip, renderPill, renderProperty, renderCode } from '../../../shared/web/parts.js'
import type { JsonObject, Operation } from '../../../shared/openapi/document.js'
import { readSecurity, type Security } from '../../../shared/openapi/security.js'
import { renderBody, renderBodyFacts } from './body.js'
import { listBodyContents } from './body-contents.js'
import { createFieldRenderer } from './fields.js'
import { renderDescription, renderMarkdown } from './markdown.js'
import { type ReferenceOperation, listCallbacks } from './operations.js'
import { listParameters, type Parameter } from './parameters.js'
import { readSchema, readText, resolve, resolveEntries } from './read-schema.js'
import { createSamples } from '../../../shared/samples/samples.js'
import { createSampleCall, readAccepted, listCodeSamples } from './sample-call.js'
import { renderContents, renderExamples, renderResponses } from './responses.js'
import { hasParts, renderAbout, renderSchemaDetails } from './schema.js'
import { textWith, words } from '../words.js'

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
        ${!isShort && description} ${isWebhook ? renderSent(document, operation) : renderTaken(document, operation)}
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

function renderTaken(document: JsonObject, operation: ReferenceOperation): Html {
  return html`${renderParameters(document, words().parameters, listParameters(document, operation))}
  ${renderBodyFacts(document, operation)}`
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
            { name, isOld: deprecated, about: html`${renderPill(place)} ${renderAbout(document, schema, required)}` },
            html`${renderDescription(description ?? readSchema(document, schema)['description'], 5)}
            ${hasParts(document, schema) && renderSchemaDetails(document, schema, words().details)}`,
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
