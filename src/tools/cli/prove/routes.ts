import type { Api } from '../../../index.js'
import { didYouMean } from '../../../shared/lib/suggest.js'
import { UsageError } from '../errors.js'
import type { Answer, Send } from './exchange.js'

/** The guarded paths that `--route API=PATH` names, by API. */
export function readRoutes(given: readonly string[], apis: readonly Api[]): Map<string, string> {
  const routes = new Map<string, string>()
  for (const each of given) {
    const [, name = '', path = ''] = /^([^=]+)=(\/[\x21-\x7e]*)$/.exec(each) ?? []
    if (path === '') {
      throw new UsageError(
        `--route is "${each}". Write API=PATH, with the path of a GET route from baseUrl on, such as orders=/orders/items.`,
        'prove',
      )
    }
    const names = apis.map((api) => api.name)
    if (!names.includes(name)) {
      throw new UsageError(`--route: there is no API "${name}".${didYouMean(name, names)}`, 'prove')
    }
    routes.set(name, path)
  }
  return routes
}

/** Adds a path for each API whose guard stands in front of everything below `/{api}`. The other APIs need `--route`. */
export async function findRoutes(routes: Map<string, string>, apis: readonly Api[], send: Send): Promise<void> {
  for (const api of apis) {
    if (routes.has(api.name)) continue
    const path = `/${api.name}/express-platform-auth-prove`
    if (isGuarded(api, await send({ path }))) routes.set(api.name, path)
  }
}

function isGuarded({ name }: Api, { status, json, header }: Answer): boolean {
  return (
    status === 401 &&
    (json?.['error'] === 'unauthorized' || (header('www-authenticate') ?? '').includes(`realm="${name}"`))
  )
}
