import type { Api } from '../../index.js'
import { renderCode } from '../../shared/web/parts.js'
import { renderCopyable, renderCopyButton } from '../../shared/web/first-steps.js'
import { html, type Html } from '../../shared/web/html.js'
import { asObject, listOperations, type JsonObject, type Operation } from '../../shared/openapi/document.js'
import { readSecurity } from '../../shared/openapi/security.js'
import { ANY_PATH, createGetCall, type SampleCall, type Sample } from '../../shared/samples/prepare.js'
import { createSamples, SAMPLE_LABELS } from '../../shared/samples/samples.js'
import { createPrivateKeySamples, KEY_PAIR_SAMPLES, type PrivateKeySample } from '../../shared/samples/private-key.js'
import { formatCallCommand, formatTokenAssignment } from '../../shared/samples/curl.js'
import { frameWords, textWith, words } from './words.js'
import { needsKeySet, takesKeySets } from '../../shared/lib/key-set-text.js'

export function renderApiCommands(api: Api, document: JsonObject | undefined): Html {
  const call = createExampleCall(api, document)
  const labels = needsKeySet(api)
    ? createPrivateKeySamples({ issuer: '', tokenEndpoint: '', clientId: '' }).map(({ title }) => title)
    : SAMPLE_LABELS
  return html`${renderCommands(api, call)}
    <p class="links">
      <a class="chevron" href="apis/${api.name}/samples"
        >${textWith('inLanguages', { languages: labels.join(', ') })}</a
      >
    </p>`
}

export function renderQuickStart(api: Api, document: JsonObject): Html | false {
  const commands = renderCommands(api, createExampleCall(api, document)).filter((each) => each !== false)
  return (
    commands.length > 0 &&
    html`<section class="card quick">
      <header>
        <h2>${words().quickStart}</h2>
        <p class="links"><a class="chevron" href="${api.name}/samples">${words().samples}</a></p>
      </header>
      <div>${commands}</div>
    </section>`
  )
}

export function renderPrograms(api: Api, document: JsonObject | undefined): Html {
  // The others would send a secret.
  const samples = needsKeySet(api) ? [] : createSamples(createGetCall(api, findFirstPath(api, document) ?? ANY_PATH))
  return html`<div class="samples">
    ${samples.length > 0 && html`<div class="programs">${samples.map((each, at) => renderSample(api, each, at === 0))}</div>`}
    ${renderProofs(api)}
  </div>`
}

/** Where an API takes private_key_jwt: how to make a key pair, and programs that get an access token with it. */
function renderProofs(api: Api): Html | false {
  const { resource, tokenEndpoint = '' } = api
  if (!takesKeySets(api)) return false
  const programs = createPrivateKeySamples({ issuer: resource, tokenEndpoint, clientId: 'app_...' })
  const render = (heading: string, listed: readonly PrivateKeySample[]): Html =>
    html`<h3>${heading}</h3>
      <div class="programs">
        ${listed.map(({ title, language, code }) => renderSample(api, { language, label: title, code }, false))}
      </div>`
  return html`${render(words().makeKeyPair, KEY_PAIR_SAMPLES)} ${render(words().tokenByProof, programs)}`
}

/** A first call: nothing if each operation of the document needs values. */
function createExampleCall(api: Api, document: JsonObject | undefined): SampleCall | undefined {
  const path = findFirstPath(api, document)
  return path === undefined ? undefined : createGetCall(api, path)
}

/**
 * The path of a GET operation without required parameters, so that the pasted command works, and that needs a credential, so
 * that a wrong one does not seem to work. Only where no operation needs one, that of an open operation.
 */
export function findFirstPath(api: Api, document: JsonObject | undefined): string | undefined {
  if (document === undefined) return ANY_PATH
  const operations = listOperations(document['paths'])
  const guarded = operations.filter(({ operation }) => !readSecurity(api, document, operation).optional)
  const candidates = guarded.length > 0 ? guarded : operations
  return candidates.find((operation) => operation.method === 'GET' && needsNoValues(operation))?.path
}

function needsNoValues({ path, pathItem, operation }: Operation): boolean {
  const parameters = [pathItem['parameters'], operation['parameters']].flat().map(asObject)
  return !path.includes('{') && !parameters.some(({ required }) => required === true)
}

function renderCommands(api: Api, call: SampleCall | undefined): (Html | false)[] {
  const { tokenEndpoint } = api
  const provesKey = needsKeySet(api)
  const texts = frameWords()
  const render = (caption: string): Html | false =>
    call !== undefined && renderCopyable(caption, formatCallCommand(call), texts, 'curl')
  if (tokenEndpoint === undefined) return [render(words().callWithKey)]
  return [
    renderCopyable(
      provesKey ? words().tokenByProof : words().getToken,
      formatTokenAssignment({ tokenEndpoint, credentials: { provesKey } }),
      texts,
      'curl',
    ),
    render(words().callWithToken),
  ]
}

/** An API shows one of its languages at a time. */
function renderSample({ name, title }: Api, { language, label, code }: Sample, isOpen: boolean): Html {
  return html`<details name="samples-${name}" ${isOpen && html` open`}>
    <summary>${label}</summary>
    <div class="copyable">
      ${renderCopyButton(textWith('sampleIn', { api: title, language: label }), frameWords())}
      <pre tabindex="0">${renderCode(code, language)}</pre>
    </div>
  </details>`
}
