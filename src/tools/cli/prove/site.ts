import type { Api, PlatformAuth, PlatformAuthOptions } from '../../../index.js'
import { basicTokenRequest, tokenRequest } from './drafts.js'
import type { ProbeAnswer, RequestDraft, Send } from './exchange.js'
import type { TemporaryApplication } from './temporary-application.js'

export interface Site {
  readonly platform: PlatformAuth
  readonly options: PlatformAuthOptions
  /** The option `baseUrl` without a slash at the end, as answers name it. */
  readonly baseUrl: string
  /** This application may use every API, with all scopes. */
  readonly caller: Omit<TemporaryApplication, 'delete'>
  readonly instances: number
  readonly routes: ReadonlyMap<string, string>
  readonly send: Send
  readonly by: string
  readonly signal: AbortSignal
  /** Of `sampleTokenAnswers()`, by API. */
  readonly samples: Map<string, Promise<readonly ProbeAnswer[]>>
}

/** Sends a request again and again, each time on a new connection, so that a balancer chooses each instance. */
export async function repeat(
  site: Site,
  draft: () => RequestDraft,
  mayBeLimited = false,
): Promise<readonly ProbeAnswer[]> {
  const answers: ProbeAnswer[] = []
  // This many requests reach each of n instances, chosen at random, in 98 of 100 runs.
  const repetitions = Math.ceil(site.instances * (Math.log(site.instances) + 4))
  for (let i = 0; i < repetitions; i++) answers.push(await site.send(draft(), { mayBeLimited }))
  return answers
}

/** Token answers of as many instances as were reached; the checks of a run share them. */
export function sampleTokenAnswers(site: Site, api: Api): Promise<readonly ProbeAnswer[]> {
  const sampled = site.samples.get(api.name) ?? repeat(site, () => tokenRequest(api, site.caller))
  site.samples.set(api.name, sampled)
  return sampled
}

export async function findAccessToken(site: Site, api: Api): Promise<string | undefined> {
  const [sampled] = (await sampleTokenAnswers(site, api)).flatMap((answer) => readAccessToken(answer) ?? [])
  // HTTP Basic if the form fails: other checks tell which of the two does not work.
  if (sampled !== undefined || !api.clientAuthentication.includes('client_secret_basic')) return sampled
  return readAccessToken(await site.send(basicTokenRequest(api, site.caller)))
}

export function readAccessToken({ json }: ProbeAnswer): string | undefined {
  const token = json?.['access_token']
  return typeof token === 'string' ? token : undefined
}

const MAX_EXCERPT = 200
const SHOWN_HEADERS =
  'content-type www-authenticate location cache-control pragma vary allow retry-after access-control-allow-origin content-encoding etag age server via'.split(
    ' ',
  )

/** Describes an answer without credentials. Redacts before it shortens, so that no part of one is left. */
export function describeAnswer({ caller }: Site, { status, failure, body, listHeader }: ProbeAnswer): string {
  const redact = (text: string): string => redactCredentials(text, [caller.clientId, caller.clientSecret])
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
function redactCredentials(text: string, secrets: readonly string[]): string {
  let safe = text
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '[redacted]')
  return safe
    .replaceAll(/eyJ[\w-]+(?:\.[\w-]*){0,2}/g, '[redacted]')
    .replaceAll(/\b\w+_(?:key|sec)_\w{20,}/g, '[redacted]')
    .replaceAll(/\bBasic\s+[A-Za-z0-9+/]{8,}=*/gi, 'Basic [redacted]')
}
