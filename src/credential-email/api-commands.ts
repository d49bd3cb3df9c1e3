import type { Api } from '../contracts/api.js'
import type { EmailCode, EmailTexts } from '../contracts/composed-email.js'
import type { Phrases } from './texts/phrases.js'

/** What commands are filled in with. Placeholders stand for credentials that the reader has already. */
interface CommandOptions {
  readonly key?: string | undefined
  readonly secret?: string | undefined
  readonly labels: Phrases['labels']
}

/** How to call an API: one command gets an access token, one calls the API with it. */
export function describeApi(
  { title, tokenEndpoint, keyHeaders, resource }: Api,
  { key = 'YOUR_KEY', secret = 'YOUR_SECRET', labels }: CommandOptions,
): EmailTexts['sections'][number] {
  const codes: EmailCode[] =
    tokenEndpoint === undefined
      ? [
          { label: labels.keyHeader, code: keyHeaders[0]! },
          { label: labels.useKey, code: `curl -H "${keyHeaders[0]}: ${key}" "${resource}"` },
        ]
      : [
          { label: labels.tokenAddress, code: tokenEndpoint },
          {
            label: labels.getToken,
            code: `curl -u "${key}:${secret}" -d grant_type=client_credentials "${tokenEndpoint}"`,
          },
          { label: labels.useToken, code: `curl -H "Authorization: Bearer ACCESS_TOKEN" "${resource}"` },
        ]
  return { title, codes }
}
