import type { Api } from '../contracts/api.js'
import type { EmailTexts } from '../contracts/composed-email.js'
import { formatCallCommand, formatTokenCommand, ONE_LINE } from '../samples/curl.js'
import type { Phrases } from './texts/phrases.js'

/** What commands are filled in with. Variables stand for credentials that the reader has already. */
interface CommandOptions {
  readonly key?: string | undefined
  readonly secret?: string | undefined
  readonly labels: Phrases['labels']
}

/** How to call an API: one command gets an access token, one calls the API with it. */
export function describeApi(
  { scheme, title, tokenEndpoint, keyHeaders, resource }: Api,
  { key, secret, labels }: CommandOptions,
): EmailTexts['sections'][number] {
  const [keyHeader] = keyHeaders
  const credentials = { key, secret }
  // One line per command: mail programs break lines, and backslashes at their ends would then be in the middle.
  const call = formatCallCommand(
    { scheme, method: 'GET', url: resource, headers: [], tokenEndpoint, keyHeader, credentials },
    ONE_LINE,
  )
  if (tokenEndpoint === undefined)
    return {
      title,
      codes: [
        { label: labels.keyHeader, code: keyHeader! },
        { label: labels.useKey, code: call },
      ],
    }
  return {
    title,
    codes: [
      { label: labels.tokenAddress, code: tokenEndpoint },
      { label: labels.getToken, code: formatTokenCommand({ tokenEndpoint, credentials }, ONE_LINE) },
      { label: labels.useToken, code: call },
    ],
  }
}
