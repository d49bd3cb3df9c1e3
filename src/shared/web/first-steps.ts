import type { Api } from '../contracts/api.js'
import { fillText } from '../lib/fill-in.js'
import { formatCallCommand, formatTokenAssignment } from '../samples/curl.js'
import { ANY_PATH, createGetCall } from '../samples/prepare.js'
import { html, type Html } from './html.js'
import { renderCode, renderEmpty } from './parts.js'
import { findFirstCall, FRAME_TEXTS } from './page-frame.js'
import type { FrameTexts } from './texts/en.js'

/** A value to copy is a field, and no code. */
export const VALUE_CSS = `figure.value { position: relative; border: 0; color: inherit; background: none; overflow: visible }
.value { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .375rem 0; font-size: var(--text-small); font-weight: 500 }
.value figcaption { display: contents; color: var(--ink) }
.value pre { grid-area: 2 / 1 / auto / span 2; display: grid; align-content: center; padding: .5rem 5.5rem .5rem .75rem; border: 1px solid var(--line); border-radius: var(--corner-control); background: var(--code) }
.value .copy.copy { --edge: var(--line); z-index: 1; grid-area: 2 / 2; align-self: center; margin: .125rem calc(.375rem - var(--finger, 0px) / 2) .125rem 0; color: var(--ink); background-color: var(--raised) }
.copyable + .alone { margin: calc(-.25rem - var(--finger, 0px)) 0 calc(1.5rem - var(--finger, 0px)) }
`

/** A value, or a command with its `language`. A click on the text selects all of it. */
export function renderCopyable(caption: string, text: string, texts: FrameTexts, language?: 'curl'): Html {
  return html`<figure class="copyable${language === undefined && ' value'}">
    <figcaption>${caption}${renderCopyButton(caption, texts)}</figcaption>
    <pre${language && html` tabindex="0"`}>${renderCode(text, language)}</pre>
  </figure> `
}

/** Hidden without JavaScript: the script shows it, and knows the English words of its answers. */
export function renderCopyButton(label: string, { copy, copied, notCopied }: FrameTexts): Html {
  const words = copied !== FRAME_TEXTS.en.copied && html` data-copied="${copied}" data-not-copied="${notCopied}"`
  return html`<button type="button" class="copy" aria-label="${copy}: ${label}" ${words} hidden>${copy}</button>`
}

interface FirstCalls {
  readonly apis: readonly FirstApi[]
  /** The credentials that have just been issued: `clientId` is for token endpoints. */
  readonly credentials: { readonly [Each in 'key' | 'clientId' | 'secret']?: string | undefined } & {
    readonly provesKey?: boolean | undefined
  }
  /** The address of the console, which has the calls in more languages, and the references. */
  readonly developersUrl: string | undefined
  readonly texts: FrameTexts
}

type FirstApi = Pick<Api, 'name' | 'title' | 'scheme' | 'resource' | 'tokenEndpoint' | 'keyHeaders'>

/** Where no call was counted yet: `next`, and the first one to an API as a command, with placeholders of credentials. */
export function renderNoCalls(
  [api]: readonly FirstApi[],
  { title, next }: { readonly title: string; readonly next: string },
  { developersUrl, texts }: Omit<FirstCalls, 'apis' | 'credentials'>,
): Html {
  if (!api) return renderEmpty({ title, drawing: 'calls' })
  const more = developersUrl && `${developersUrl}/apis/${api.name}/samples`
  const call = html`${renderTokenCall(api, {}, texts)} ${renderCall(api, undefined, more, texts)}`
  return renderEmpty({ title, next, drawing: 'calls' }, call)
}

function renderTokenCall(
  { title, tokenEndpoint }: FirstApi,
  credentials: Parameters<typeof formatTokenAssignment>[0]['credentials'],
  texts: FrameTexts,
): Html | false {
  if (tokenEndpoint === undefined) return false
  return renderCopyable(
    fillText(texts.getToken, { api: title }),
    formatTokenAssignment({ tokenEndpoint, credentials }),
    texts,
    'curl',
  )
}

/** For each API the command of one call, and where it takes access tokens that of the request for one before it. */
export function renderFirstCalls({ apis, credentials, developersUrl, texts }: FirstCalls): Html {
  return html`<h2>${texts.tryIt}</h2>
    ${apis.map((api) => {
      const { name, tokenEndpoint } = api
      const { key, clientId, secret, provesKey } = credentials
      const used = tokenEndpoint === undefined ? { key } : { key: clientId, secret, provesKey }
      return html`${renderTokenCall(api, used, texts)}
      ${renderCall(api, used, developersUrl && `${developersUrl}#api-${name}`, texts)}`
    })}`
}

function renderCall(
  api: FirstApi,
  credentials: FirstCalls['credentials'] | undefined,
  more: string | undefined,
  texts: FrameTexts,
): Html {
  const { name, title, resource } = api
  const url = findFirstCall(name, resource + ANY_PATH)
  // Every member is there, so that none is inherited.
  const call = { ...createGetCall(api, ANY_PATH), body: undefined, credentials }
  return html`${url !== undefined && renderCopyable(fillText(url.endsWith(ANY_PATH) ? texts.callPath : texts.call, { api: title }), formatCallCommand({ ...call, url }), texts, 'curl')}
  ${more !== undefined && html`<p class="alone"><a href="${more}">${fillText(texts.reference, { api: title })}</a></p>`}`
}
