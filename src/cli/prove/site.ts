import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../../index.js'
import type { Site } from './check.js'
import { formCredentials, GRANT, postForm, basic } from './drafts.js'
import type { Answer } from './exchange.js'
import type { TemporaryApplication } from './temporary-applications.js'

export interface SiteParts extends Pick<
  Site,
  'platform' | 'options' | 'baseUrl' | 'caller' | 'other' | 'instances' | 'routes' | 'send' | 'by'
> {
  readonly signal: AbortSignal
}

export function createSite({ signal, ...parts }: SiteParts): Site {
  const { send, caller, other, instances } = parts
  const tokens = new Map<string, string>()
  const secrets = new Set<string>()

  return {
    ...parts,
    // This many requests reach each of n instances, chosen at random, in 98 of 100 runs.
    repetitions: Math.ceil(instances * (Math.log(instances) + 4)),
    async getAccessToken(api, application) {
      const id = `${api.name} ${application.id}`
      const known = tokens.get(id)
      if (known !== undefined) return known
      const token = await requestToken(send, api, application)
      if (token !== undefined) {
        tokens.set(id, token)
        secrets.add(token)
      }
      return token
    },
    forgetAccessTokens: () => tokens.clear(),
    describe(answer) {
      for (const { clientId, clientSecret } of [caller, other]) {
        secrets.add(clientId)
        if (clientSecret !== '') secrets.add(clientSecret)
      }
      return describeAnswer(answer, (text) => redact(text, secrets))
    },
    async wait(milliseconds) {
      await sleep(milliseconds, undefined, { signal })
    },
  }
}

/** Sends the credentials in the form, and if that fails, with HTTP Basic: other checks tell which of the two does not work. */
async function requestToken(
  send: Site['send'],
  api: Api,
  application: TemporaryApplication,
): Promise<string | undefined> {
  const { clientId, clientSecret } = application
  const drafts = [
    postForm({ api }, 'token', [...GRANT, ...formCredentials(application)]),
    postForm({ api }, 'token', GRANT, [basic(clientId, clientSecret)]),
  ]
  for (const draft of drafts) {
    const token = (await send(draft)).json?.['access_token']
    if (typeof token === 'string') return token
  }
  return undefined
}

const MAX_EXCERPT = 200
/** Headers that deviations are about. */
const SHOWN_HEADERS = [
  'content-type',
  'www-authenticate',
  'location',
  'cache-control',
  'pragma',
  'vary',
  'allow',
  'retry-after',
  'access-control-allow-origin',
  'content-encoding',
  'etag',
  'age',
  'server',
  'via',
]

/** Redacts before it shortens, so that no part of a credential is left. */
function describeAnswer({ status, failure, body, listHeader }: Answer, redact: (text: string) => string): string {
  if (failure !== undefined) return `no answer: ${redact(failure)}`
  const headers = SHOWN_HEADERS.flatMap((name) => listHeader(name).map((value) => `${name}: ${shorten(redact(value))}`))
  const cookies = listHeader('set-cookie').map(
    (cookie) => `set-cookie: ${shorten(redact(cookie.split('=', 1)[0]!))}=...`,
  )
  const excerpt = shorten(redact(body.replaceAll(/\s+/g, ' ').trim()))
  return [String(status), ...headers, ...cookies, ...(excerpt === '' ? [] : [excerpt])].join(' | ')
}

function shorten(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}...` : text
}

/** Matches all that may be a credential: pages of errors quote the requests. */
function redact(text: string, secrets: ReadonlySet<string>): string {
  let safe = text
  for (const secret of secrets) safe = safe.replaceAll(secret, '[redacted]')
  return safe
    .replaceAll(/eyJ[\w-]+(?:\.[\w-]*){0,2}/g, '[redacted]')
    .replaceAll(/\b\w+_(?:key|sec)_\w{20,}/g, '[redacted]')
    .replaceAll(/\bBasic\s+[A-Za-z0-9+/]{8,}=*/gi, 'Basic [redacted]')
}
