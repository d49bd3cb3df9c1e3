import type { Api } from '../index.js'
import { html, type Html } from '../lib/html.js'
import { listOperations, type JsonObject } from '../openapi/document.js'
import type { SampleCall } from '../samples/call.js'
import { createSamples } from '../samples/create.js'
import { formatCallCommand, formatTokenCommand } from '../samples/curl.js'
import type { Sample } from '../samples/sample.js'
import { needsNoValues } from './complete-document.js'

/** The commands that call an API, and below them programs in every language. All work without scripts. */
export function renderApiSamples(api: Api, document: JsonObject | undefined): Html {
  const call = createExampleCall(api, document)
  const samples = createSamples(call)
  return html`${listCommands(api, call).map(({ caption, command }) => renderCode(caption, command))}
    <details class="samples">
      <summary>${samples.map(({ label }) => label).join(', ')}</summary>
      ${samples.map((sample) => renderSample(api, sample))}
    </details>`
}

function createExampleCall({ scheme, tokenEndpoint, keyHeaders, resource }: Api, document?: JsonObject): SampleCall {
  const url = resource + findExamplePath(document)
  return { scheme, method: 'GET', url, headers: [], tokenEndpoint, keyHeader: keyHeaders[0] }
}

/** The path of a GET operation without required parameters, so that the pasted command works. */
function findExamplePath(document: JsonObject | undefined): string {
  const operations = listOperations(document?.['paths'])
  return (
    operations.find((operation) => operation.method === 'GET' && needsNoValues(operation))?.path ?? '/RESOURCE_PATH'
  )
}

interface Command {
  readonly caption: string
  readonly command: string
}

function listCommands({ tokenEndpoint }: Api, call: SampleCall): Command[] {
  const command = formatCallCommand(call)
  if (tokenEndpoint === undefined) return [{ caption: 'Call the API with the key', command }]
  return [
    { caption: 'Get an access token with key and secret', command: formatTokenCommand({ tokenEndpoint }) },
    { caption: 'Call the API with the access token', command },
  ]
}

/** Of the languages of an API, one is open at a time. */
function renderSample({ name, title }: Api, { label, code }: Sample): Html {
  return html`<details name="samples-${name}">
    <summary>${label}</summary>
    <div class="copyable">
      ${renderCopyButton(`${title} in ${label}`)}
      <pre><code>${code}</code></pre>
    </div>
  </details>`
}

function renderCode(caption: string, code: string): Html {
  return html` <figure class="copyable">
    <figcaption>${caption}${renderCopyButton(caption)}</figcaption>
    <pre><code>${code}</code></pre>
  </figure>`
}

/** Hidden without JavaScript: console.js shows it. */
export function renderCopyButton(label: string): Html {
  return html`<button type="button" class="copy" aria-label="Copy: ${label}" hidden>Copy</button>`
}
