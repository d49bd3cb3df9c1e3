import type { Api } from '../../index.js'
import { shellQuote } from '../../lib/shell-quote.js'
import type { JsonObject } from '../../openapi/document.js'
import type { ApiCall } from './calls.js'
import { createRequestBody } from './request-body.js'

/** The command that requests an access token. */
export function formatTokenRequest({ tokenEndpoint = '' }: Api): string {
  return joinWords(['-u "$CLIENT_ID:$CLIENT_SECRET"', '-d grant_type=client_credentials', shellQuote(tokenEndpoint)])
}

/** The command of a call with example values. */
export function formatCall(api: Api, document: JsonObject, call: ApiCall): string {
  const credential =
    api.scheme === 'oauth2' ? '"Authorization: Bearer $ACCESS_TOKEN"' : `"${api.keyHeaders[0]}: $API_KEY"`
  const body = createRequestBody(document, call.body)
  const words = [
    ...(call.method === (body ? 'POST' : 'GET') ? [] : [`-X ${call.method}`]),
    ...(call.security.alternatives.length > 0 ? [`-H ${credential}`] : []),
    ...listNeeded(call, 'header').map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body && 'text' in body ? [`-H ${shellQuote(`Content-Type: ${body.mediaType}`)}`, `--data-raw ${shellQuote(body.text)}`] : []), // prettier-ignore
    shellQuote(createUrl(api, call)),
  ]
  return joinWords(words)
}

function createUrl(api: Api, call: ApiCall): string {
  const values = new Map(call.parameters.filter((each) => each.in === 'path').map(({ name, example }) => [name, example[0]?.[1] ?? name])) // prettier-ignore
  const path = call.path.replaceAll(/\{([^{}]+)\}/g, (_template, name: string) => encodeURIComponent(values.get(name) ?? name)) // prettier-ignore
  const query = listNeeded(call, 'query').map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`) // prettier-ignore
  return api.resource + path + (query.length > 0 ? `?${query.join('&')}` : '')
}

function listNeeded({ parameters }: ApiCall, place: string): (readonly [string, string])[] {
  return parameters.filter((each) => each.in === place && each.isRequired).flatMap(({ example }) => example)
}

function joinWords(words: readonly string[]): string {
  return `curl ${words.join(' \\\n  ')}`
}
