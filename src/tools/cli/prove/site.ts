import { type Api, type PlatformAuth, type PlatformAuthOptions, ApplicationError } from '../../../index.js'
import { tokenRequest } from './drafts.js'
import type { ProbeAnswer, RequestDraft, Send } from './exchange.js'
import { withEnd } from '../../../shared/lib/application-id.js'

export interface Site {
  readonly platform: PlatformAuth
  readonly options: PlatformAuthOptions
  /** The option `baseUrl` without a slash at the end, as answers name it. */
  readonly baseUrl: string
  readonly caller: Omit<TemporaryApplication, 'delete'>
  readonly instances: number
  readonly routes: ReadonlyMap<string, string>
  /** The APIs whose routes answer nothing that can be checked. */
  readonly wrongRoutes: Set<string>
  readonly send: Send
  readonly by: string
  readonly signal: AbortSignal
  readonly samples: Map<string, Promise<readonly ProbeAnswer[]>>
}

/** Sends a request again and again, each time on a new connection, so that a balancer chooses each instance. */
export async function repeat(site: Site, draft: () => RequestDraft, mayBeLimited = false) {
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
  const secrets = [caller.clientId, caller.clientSecret].filter((secret) => secret !== '')
  // Matches all that may be a credential: pages of errors quote the requests.
  const redact = (text: string): string =>
    secrets
      .reduce((safe, secret) => safe.replaceAll(secret, '[redacted]'), text)
      .replaceAll(/eyJ[\w-]+(?:\.[\w-]*){0,2}/g, '[redacted]')
      .replaceAll(/\b\w+_(?:key|sec)_\w{20,}/g, '[redacted]')
      .replaceAll(/\bBasic\s+[A-Za-z0-9+/]{8,}=*/gi, 'Basic [redacted]')
  if (failure !== undefined) return `no answer: ${redact(failure)}`
  const headers = SHOWN_HEADERS.flatMap((name) => listHeader(name).map((value) => `${name}: ${shorten(redact(value))}`))
  const cookies = listHeader('set-cookie').map((each) => `set-cookie: ${shorten(redact(each.split('=', 1)[0]!))}=...`)
  const excerpt = shorten(redact(body.replaceAll(/\s+/g, ' ').trim()))
  return [String(status), ...headers, ...cookies, ...(excerpt === '' ? [] : [excerpt])].join(' | ')
}

function shorten(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}...` : text
}

/** For clocks of servers that differ, and for the deletion at the end. */
const LEEWAY_MS = 30 * 60_000

export type TemporaryApplication = Awaited<ReturnType<typeof createTemporaryApplication>>

/** Creates an application that may use every API. If this process is killed and cannot delete it, it ends by itself, and a server deletes it. */
export async function createTemporaryApplication(
  { applications, apis }: PlatformAuth,
  options: {
    readonly by: string
    readonly metadata: object | undefined
    readonly timeout: number
    readonly services: boolean
  },
) {
  const { by, metadata, timeout, services } = options
  const names = apis.map(({ name }) => name)
  const given = {
    name: 'Temporary application of prove',
    apis: names,
    ...(services && { resourceServer: names }),
    by,
    ...(metadata && { metadata }),
  }
  const end = Date.now() + timeout * 1000 + LEEWAY_MS
  const { application, credentials } = await applications.create(withEnd(given, end))
  const { id } = application
  // There is no secret if no API needs one.
  const { clientId, clientSecret = '' } = credentials
  return {
    id,
    clientId,
    clientSecret,
    async delete(): Promise<boolean> {
      try {
        await applications.delete(id, { by })
        return true
      } catch (error) {
        // Somebody else has deleted it.
        return error instanceof ApplicationError && ['application_not_found', 'invalid_state'].includes(error.code)
      }
    },
  }
}
