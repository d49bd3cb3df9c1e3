import type { Api } from '../contracts/api.js'
import { formatCallCommand, formatTokenAssignment } from '../samples/curl.js'
import { html, type Html } from './html.js'
import type { FrameTexts } from './texts/en.js'

/** A value or a command. The button is hidden without JavaScript: a click on the text selects all of it. */
export function renderCopyable(caption: string, text: string, { copy, copied, notCopied }: FrameTexts): Html {
  return html`<figure class="copyable">
    <figcaption>
      ${caption}<button
        type="button"
        class="copy"
        aria-label="${copy}: ${caption}"
        data-copied="${copied}"
        data-not-copied="${notCopied}"
        hidden
      >
        ${copy}
      </button>
    </figcaption>
    <pre><code>${text}</code></pre>
  </figure> `
}

interface FirstCalls {
  readonly apis: readonly FirstApi[]
  /** The credentials that have just been issued: `clientId` is for token endpoints. */
  readonly credentials: { readonly [Each in 'key' | 'clientId' | 'secret']?: string | undefined } & {
    readonly provesKey?: boolean
  }
  /** The address of the console, which has the calls in more languages, and the references. */
  readonly developersUrl: string | undefined
  readonly texts: FrameTexts
}

type FirstApi = Pick<Api, 'name' | 'title' | 'scheme' | 'resource' | 'tokenEndpoint' | 'keyHeaders'>

/** Commands that work as they are: for each API one call, and where it takes access tokens the request for one before it. */
export function renderFirstCalls({ apis, credentials, developersUrl, texts }: FirstCalls): Html {
  return html`<h2>${texts.tryIt}</h2>
    ${apis.map(({ name, title, scheme, resource, tokenEndpoint, keyHeaders: [keyHeader] }) => {
      const { key, clientId, secret, provesKey } = credentials
      const used = tokenEndpoint === undefined ? { key } : { key: clientId, secret, provesKey }
      const call = {
        scheme,
        method: 'GET',
        url: resource,
        headers: [],
        tokenEndpoint,
        keyHeader,
        credentials: used,
      } as const
      return html`${
        tokenEndpoint !== undefined &&
        renderCopyable(texts.getToken(title), formatTokenAssignment({ tokenEndpoint, credentials: used }), texts)
      }
      ${renderCopyable(texts.call(title), formatCallCommand(call), texts)}
      ${developersUrl !== undefined && html`<p class="alone"><a href="${developersUrl}#api-${name}">${texts.reference(title)}</a></p>`}`
    })}`
}
