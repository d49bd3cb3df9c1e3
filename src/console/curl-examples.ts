import type { Api } from '../index.js'
import { listOperations, type JsonObject } from '../openapi/document.js'
import { formatCallCommand, formatTokenCommand } from '../samples/curl.js'
import { needsNoValues } from './complete-document.js'

/** A command to copy, with a caption that says what it does. */
export interface CurlExample {
  readonly caption: string
  readonly command: string
}

/** The shell commands that call an API. Credentials are variables. */
export function createCurlExamples(api: Api, document: JsonObject | undefined): CurlExample[] {
  const { scheme, tokenEndpoint, keyHeaders, resource } = api
  const url = resource + findExamplePath(document)
  const command = formatCallCommand({ scheme, method: 'GET', url, headers: [], keyHeader: keyHeaders[0] })
  if (tokenEndpoint === undefined) return [{ caption: 'Call the API with the key', command }]
  return [
    { caption: 'Get an access token with key and secret', command: formatTokenCommand({ tokenEndpoint }) },
    { caption: 'Call the API with the access token', command },
  ]
}

/** The path of a GET operation without required parameters, so that the pasted command works. */
function findExamplePath(document: JsonObject | undefined): string {
  const operations = listOperations(document?.['paths'])
  return (
    operations.find((operation) => operation.method === 'GET' && needsNoValues(operation))?.path ?? '/RESOURCE_PATH'
  )
}
