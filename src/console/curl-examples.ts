import type { Api } from '../index.js'
import { shellQuote } from '../lib/shell-quote.js'
import { listOperations, type JsonObject } from '../openapi/document.js'
import { needsNoValues } from './complete-document.js'

/** A command to copy, with a caption that says what it does. */
export interface CurlExample {
  readonly caption: string
  readonly command: string
}

/** The shell commands that call an API. Words in capitals are placeholders. */
export function createCurlExamples(api: Api, document: JsonObject | undefined): CurlExample[] {
  const resource = shellQuote(api.resource + findExamplePath(document))
  if (api.tokenEndpoint === undefined)
    return [
      { caption: 'Call the API with the key', command: `curl -H '${api.keyHeaders[0]}: YOUR_KEY' \\\n  ${resource}` },
    ]
  return [
    {
      caption: 'Get an access token with key and secret',
      command: `curl -u 'YOUR_KEY:YOUR_SECRET' \\\n  -d grant_type=client_credentials \\\n  ${shellQuote(api.tokenEndpoint)}`,
    },
    {
      caption: 'Call the API with the access token',
      command: `curl -H 'Authorization: Bearer ACCESS_TOKEN' \\\n  ${resource}`,
    },
  ]
}

/** The path of a GET operation without required parameters, so that the pasted command works. */
function findExamplePath(document: JsonObject | undefined): string {
  const operations = listOperations(document?.['paths'])
  return (
    operations.find((operation) => operation.method === 'GET' && needsNoValues(operation))?.path ?? '/RESOURCE_PATH'
  )
}
