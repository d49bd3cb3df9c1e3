import { asObject, listOperations, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { resolve, resolveEntries } from './resolve.js'

/** The requests that the provider sends by itself; their paths are names. `x-webhooks` is what documents of OpenAPI 3.0 use. */
export function listWebhooks(document: JsonObject): Operation[] {
  return listResolved(document, Object.entries(asObject(document['webhooks'] ?? document['x-webhooks'])))
}

/** A request that the provider sends because of an operation. Its path is an expression for an address. */
export interface Callback extends Operation {
  readonly name: string
}

export function listCallbacks(document: JsonObject, operation: JsonObject): Callback[] {
  return resolveEntries(document, operation['callbacks']).flatMap(([name, callback]) => {
    const items = Object.entries(callback).filter(([expression]) => !expression.startsWith('x-'))
    return listResolved(document, items).map((each) => ({ ...each, name }))
  })
}

function listResolved(document: JsonObject, items: readonly (readonly [string, unknown])[]): Operation[] {
  const resolved = items.map(([path, item]) => [path, resolve(document, item)] as const)
  return listOperations(ownMembers(Object.fromEntries(resolved)))
}
