import type { Api } from '../index.js'
import { isPlain, operationsIn, type JsonObject } from './openapi.js'

/** A command to copy, and what it does. */
export interface Call {
  readonly does: string
  readonly command: string
}

/** How an API is called, from a shell; what is in capitals is to be filled in. */
export function callsOf(api: Api, document: JsonObject | undefined): Call[] {
  const resource = quoted(api.resource + examplePath(document))
  if (api.tokenEndpoint === undefined)
    return [{ does: 'Call the API with the key', command: `curl -H 'X-Api-Key: YOUR_KEY' \\\n  ${resource}` }]
  return [
    {
      does: 'Get an access token with key and secret',
      command: `curl -u 'YOUR_KEY:YOUR_SECRET' \\\n  -d grant_type=client_credentials \\\n  ${quoted(api.tokenEndpoint)}`,
    },
    {
      does: 'Call the API with the access token',
      command: `curl -H 'Authorization: Bearer ACCESS_TOKEN' \\\n  ${resource}`,
    },
  ]
}

/** A path that needs no values, if there is one: what can be pasted should work. */
function examplePath(document: JsonObject | undefined): string {
  const operations = operationsIn(document?.['paths'])
  return operations.find((operation) => operation.method === 'get' && isPlain(operation))?.path ?? '/RESOURCE_PATH'
}

function quoted(address: string): string {
  return /^[\w@%+=:,./~-]+$/.test(address) ? address : `'${address.replaceAll("'", `'\\''`)}'`
}
