import { command, option, type OptionTable } from '../command.js'
import { readMetadata } from '../commands/member-options.js'
import { CommandError, describeError, UsageError, PROGRAM } from '../errors.js'
import { diagnose } from './diagnosis.js'
import { createSend, type ProbeAnswer, type Send } from './exchange.js'
import { createReport, type CheckReport } from './report.js'
import { isForManagement } from '../../operations/operator-calls.js'
import { MANAGEMENT_CHECKS, RESOURCE_SERVER_CHECKS } from './services.js'
import { type Site, createTemporaryApplication, type TemporaryApplication } from './site.js'
import type { Api } from '../../../index.js'
import { didYouMean } from '../../../shared/lib/suggest.js'
import { createAllowed, SkippedCheck } from './expectation.js'
import { GUARD_CACHING_CHECKS, TOKEN_CACHING_CHECKS } from './caching.js'
import type { Check } from './check.js'
import { CORS_CHECKS } from './cors.js'
import { TOKEN_CHECKS, TOKEN_REQUEST_CHECKS } from './token-endpoint.js'
import { BEARER_GUARD_CHECKS, KEY_GUARD_CHECKS } from './guards.js'
import { GUARD_INSTANCE_CHECKS, INSTANCE_CHECKS, KEY_SET_INSTANCE_CHECKS } from './instances.js'
import { ADDRESS_CHECKS, LIMIT_CHECKS } from './limits.js'
import { KEY_SET_CHECKS, METADATA_CHECKS } from './metadata.js'
import { KEY_REVOCATION_CHECK, SECRET_REVOCATION_CHECK, TOKEN_REVOCATION_CHECK } from './revocation.js'

const OPTIONS = {
  url: option.text('URL', 'Where requests are sent, in place of baseUrl; answers must name baseUrl all the same.'),
  route: option.list(
    'API=PATH',
    'A guarded path of an API, from baseUrl on, that answers GET with 200: orders=/orders/items. Repeat it for the next API. Without it, a guard in front of everything below /{api} is looked for.',
  ),
  services: option.flag('Also checks what services call that are resource servers: check and introspect.'),
  instances: option.number(
    'COUNT',
    'How many instances the balancer has; the default is 2. More instances need more requests.',
  ),
  rate: option.number('COUNT', 'Requests per second at most; the default is 5.'),
  timeout: option.number('SECONDS', 'Ends after so many seconds, with what was found until then; the default is 600.'),
  metadata: option.text('JSON|@FILE', 'Data of the temporary application, if the option metadata requires some.'),
} as const satisfies OptionTable

export const proveCommand = command({
  name: 'prove',
  summary: 'Checks a running deployment from the outside: that its proxies, caches and instances keep to docs/http.md.',
  notes: [
    'Run it after deploying, with the options of the servers. It creates an application in their store, sends requests to baseUrl as clients do, and deletes the application, also when it is interrupted. The audit log keeps both changes. Each deviation has its fix.',
    'The requests of a guarded route are GET, HEAD and OPTIONS. Wrong credentials are among them: refusals are logged and counted.',
    'The exit code is 1 if it found a deviation, or could not end.',
  ],
  requires: 'options',
  options: OPTIONS,
  example: 'prove --config platform.js --route orders=/orders/items',
  async run({ platform, target, by, values }) {
    const { url, route, metadata, services, instances = 2, rate = 5, timeout = 600 } = values
    const options = target.options!
    const baseUrl = readUrl('baseUrl', options.baseUrl)
    const routes = readRoutes(route, platform.apis)
    if (instances < 1 || instances > 20) throw new UsageError('--instances must be 1 to 20.', 'prove')
    if (rate < 1 || timeout < 1) throw new UsageError('--rate and --timeout must be at least 1.', 'prove')
    const address = url === undefined ? baseUrl : readUrl('--url', url)
    const data = metadata === undefined ? undefined : await readMetadata(metadata, 'prove')
    const { signal, end } = createSignal(timeout)
    const send = createSend({ url: address, rate, signal })
    let caller: TemporaryApplication | undefined
    const results: CheckReport[] = []
    const ended: string[] = []

    async function runChecks(): Promise<void> {
      const { apis } = platform
      const first = await send({ path: '/.well-known/jwks.json' })
      if (first.failure !== undefined) {
        const check = { row: 'M3', api: apis[0]!.name, sends: 'GET for the key set', expects: 'an answer' }
        results.push({ ...check, received: `no answer: ${first.failure}`, fix: diagnose(first)! })
        return
      }
      caller = await createTemporaryApplication(platform, { by, metadata: data ?? undefined, timeout, services })
      await findRoutes(routes, apis, send)
      const state = { samples: new Map(), wrongRoutes: new Set<string>() }
      const site = { platform, options, baseUrl, caller, instances, routes, send, by, signal, ...state }
      for (const planned of planChecks(apis, routes, services)) results.push(await runCheck(planned, site))
    }

    try {
      await runChecks()
    } catch (error) {
      if (!signal.aborted) throw error
      ended.push(describeError(signal.reason))
    } finally {
      if (caller && !(await caller.delete()))
        ended.push(`The store does not answer: a temporary application is left. ${PROGRAM} apps delete ${caller.id}`)
      end()
    }
    return createReport(address, results, ended.length === 0 ? undefined : ended.join(' '))
  },
})

function readUrl(name: string, url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`${name} is "${url}". It must be an http or https address.`, 'prove')
  const { search, hash, username, password } = new URL(url)
  if (search || hash || username || password)
    throw new UsageError(`${name} must have no query, fragment or user name.`, 'prove')
  return url.replace(/\/$/, '')
}

function createSignal(timeout: number): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new CommandError(`${timeout} seconds have passed (--timeout).`)),
    timeout * 1000,
  )
  const interrupt = (): void => controller.abort(new CommandError('It was interrupted.'))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    },
  }
}

async function runCheck({ api, check, needsRoute }: ReturnType<typeof planChecks>[number], site: Site) {
  const { row, sends, expects, fix } = check
  const report = { row, api: api.name, sends, expects }
  const route = site.routes.get(api.name) ?? ''
  if (needsRoute && route === '')
    return { ...report, skipped: `no guarded route is known: add --route ${api.name}=PATH` }
  if (needsRoute && site.wrongRoutes.has(api.name))
    return { ...report, skipped: 'a good credential does not get 2xx from the route' }
  try {
    const allowed = createAllowed(route === nameSearched(api))
    const outcome = await check.run({ site, api, route: needsRoute ? route : '', allowed })
    return outcome ? { ...report, ...outcome, expects: outcome.expects ?? expects, fix: outcome.fix ?? fix } : report
  } catch (error) {
    if (error instanceof SkippedCheck) return { ...report, skipped: error.message }
    throw error
  }
}

function readRoutes(given: readonly string[], apis: readonly Api[]): Map<string, string> {
  const routes = new Map<string, string>()
  for (const each of given) {
    const [, name = '', path = ''] = /^([^=]+)=(\/[\x21-\x7e]*)$/.exec(each) ?? []
    if (path === '')
      throw new UsageError(
        `--route is "${each}". Write API=PATH, with the path of a GET route from baseUrl on, such as orders=/orders/items.`,
        'prove',
      )
    const names = apis.map((api) => api.name)
    if (!names.includes(name))
      throw new UsageError(`--route: there is no API "${name}".${didYouMean(name, names)}`, 'prove')
    routes.set(name, path)
  }
  return routes
}

/** Adds a path for each API whose guard stands in front of everything below `/{api}`. The other APIs need `--route`. */
async function findRoutes(routes: Map<string, string>, apis: readonly Api[], send: Send): Promise<void> {
  for (const api of apis) {
    if (routes.has(api.name)) continue
    const path = nameSearched(api)
    if (isForManagement(api)) routes.set(api.name, `/${api.name}/applications?limit=1`)
    else if (isGuarded(api, await send({ path }))) routes.set(api.name, path)
  }
}

/** A path below `/{api}` that no app has. */
function nameSearched({ name }: Api): string {
  return `/${name}/express-platform-auth-prove`
}

function isGuarded({ name }: Api, { status, json, header }: ProbeAnswer): boolean {
  const hasRealm = (header('www-authenticate') ?? '').includes(`realm="${name}"`)
  return status === 401 && (json?.['error'] === 'unauthorized' || hasRealm)
}

/**
 * Lists every check in the order in which they run; the last ones end credentials. Only what something in front of the app, its
 * mount or the choice of instances can break is a check: the package's own tests show that the app answers as docs/http.md says.
 * Checks that need a route are listed for APIs without one, too.
 */
function planChecks(all: readonly Api[], routes: ReadonlyMap<string, string>, services: boolean) {
  const plan = (apis: readonly Api[], ...checks: (readonly Check[])[]) =>
    apis.flatMap((api) => checks.flat().map((check) => ({ api, check, needsRoute: false })))
  const planRouted: typeof plan = (...planned) => plan(...planned).map((each) => ({ ...each, needsRoute: true }))
  const oauth2 = all.filter(({ scheme }) => scheme === 'oauth2')
  const keys = all.filter(({ scheme }) => scheme === 'apiKey')
  const [firstOAuth2, routedKeys] = [oauth2.slice(0, 1), keys.filter(({ name }) => routes.has(name))]
  return [
    ...plan(all.slice(0, 1), KEY_SET_CHECKS, KEY_SET_INSTANCE_CHECKS, ADDRESS_CHECKS),
    ...plan(oauth2, TOKEN_CHECKS),
    ...plan(firstOAuth2, TOKEN_REQUEST_CHECKS, INSTANCE_CHECKS),
    ...plan(oauth2, METADATA_CHECKS),
    ...plan(firstOAuth2, CORS_CHECKS, TOKEN_CACHING_CHECKS),
    ...planRouted(oauth2, BEARER_GUARD_CHECKS),
    ...planRouted(keys, KEY_GUARD_CHECKS),
    ...planRouted(all, GUARD_CACHING_CHECKS, GUARD_INSTANCE_CHECKS),
    ...plan(services ? [...firstOAuth2, ...keys.slice(0, 1)] : [], RESOURCE_SERVER_CHECKS),
    ...plan(all.filter(isForManagement), MANAGEMENT_CHECKS),
    ...plan(firstOAuth2, LIMIT_CHECKS),
    ...planRouted(oauth2, [TOKEN_REVOCATION_CHECK]),
    ...plan(firstOAuth2, [SECRET_REVOCATION_CHECK]),
    ...planRouted(routedKeys.slice(0, 1), [KEY_REVOCATION_CHECK]),
  ]
}
