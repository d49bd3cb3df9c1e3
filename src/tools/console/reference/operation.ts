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
import { readSchema } from './read-schema.js'
import { createSamples } from '../../../shared/samples/samples.js'
import { readText, resolve, resolveEntries } from './resolve.js'
import { createSampleCall, readAccepted, listCodeSamples } from './sample-call.js'
import { renderContent, renderResponses } from './responses.js'
import { hasParts, renderAbout, renderSchemaDetails } from './schema.js'
import { textWith, words } from '../words.js'

/** An API with its document, as it is served, and the operations in it. */
export interface Reference {
  readonly api: Api
  readonly document: JsonObject
  readonly operations: readonly ReferenceOperation[]
}

/** Everything about an operation: description, the form that calls it, answers, callbacks. */
export function renderOperation(reference: Reference, operation: ReferenceOperation): Html {
  const { document, operations } = reference
  const answers = html`${renderResponses(document, operation.operation['responses'], operations)}
  ${renderCallbacks(reference, operation)}`
  return html`<article class="operation-content">
    ${operation.deprecated && html`<p class="deprecated">${words().deprecatedOperation}</p>`}
    ${renderDescription(readText(operation.operation['description']) ?? operation.pathItem['description'], 4)}
    ${renderExternalDocs(operation.operation['externalDocs'])}
    ${operation.isWebhook ? html`${renderWebhookBody(document, operation)} ${answers}` : renderCall(reference, operation, answers)}
  </article>`
}

export function renderExternalDocs(given: unknown): Html | false {
  const { url, description } = resolve(Object.create(null) as JsonObject, given)
  const address = readText(url)
  if (address === undefined) return false
  const link = `[${(readText(description) ?? address).replaceAll(/[[\]\\]/g, '\\$&')}](<${address}>)`
  return html`<div class="external markdown">${renderMarkdown(link)}</div>`
}

/** At the left what the document says, at the right the form with its answer and samples, which stays in view. */
function renderCall({ api, document }: Reference, operation: ReferenceOperation, answers: Html): Html {
  const security = readSecurity(api, document, operation.operation)
  const fields = createFieldRenderer(document, operation.key)
  const parameters = listParameters(document, operation)
  const { alternatives } = security
  const accepted = readAccepted(document, operation)
  return html`<div class="pair">
    <div class="facts">
      ${renderSecurity(api, security)} ${renderParameters(document, words().parameters, parameters)}
      ${renderBodyFacts(document, operation)}
    </div>
    <div class="beside">
      <form
        class="call card"
        method="post"
        novalidate
        data-method="${operation.method}"
        data-path="${operation.path}"
        data-security="${alternatives.length === 0 ? 'none' : security.optional ? 'optional' : 'required'}"
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
      </form>
      <section class="samples" data-samples>
        ${createSamples(createSampleCall(api, document, operation)).map(
          ({ language, label, code }, at) =>
            html`<details name="samples" ${at === 0 && html` open`}>
              <summary>${label}</summary>
              <pre tabindex="0">${renderCode(code, language)}</pre>
            </details>`,
        )}
      </section>
    </div>
    <div class="answers">${answers}</div>
  </div>`
}

function renderParameters(document: JsonObject, title: string, parameters: readonly Parameter[]): Html | false {
  return (
    parameters.length > 0 &&
    html`<section>
      <h4>${title}</h4>
      <ul class="properties">
        ${parameters.map(({ name, place, required, deprecated, description, schema }) =>
          renderProperty(
            { name, isOld: deprecated, about: html`${renderAbout(document, schema, required)} ${renderPill(place)}` },
            html`${renderDescription(description ?? readSchema(document, schema)['description'], 5)}
            ${hasParts(document, schema) && renderSchemaDetails(document, schema, false)}`,
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

/** Shows the parameters and the body that the provider sends. */
function renderWebhookBody(document: JsonObject, webhook: Operation): Html {
  const body = resolve(document, webhook.operation['requestBody'])
  const parameters = listParameters(document, webhook)
  return html`<section class="sent">
    ${renderParameters(document, words().whatIsSent, parameters)}
    ${parameters.length === 0 && html`<h4>${words().whatIsSent}</h4>`} ${renderDescription(body['description'], 5)}
    ${resolveEntries(document, body['content']).map(([type, content], at) => renderContent(document, type, content, at === 0))}
  </section>`
}

function renderCallbacks({ document, operations }: Reference, { operation }: ReferenceOperation): Html | false {
  const callbacks = listCallbacks(document, operation)
  return (
    callbacks.length > 0 &&
    html`<section class="callbacks">
      <h4>${words().callbacks}</h4>
      ${callbacks.map(
        (each) =>
          html`<details>
            <summary><span class="choice">${each.name}</span> <code>${each.method} ${each.path}</code></summary>
            ${renderDescription(readText(each.operation['description']) ?? each.operation['summary'], 5)}
            ${renderWebhookBody(document, each)} ${renderResponses(document, each.operation['responses'], operations)}
          </details>`,
      )}
    </section>`
  )
}
