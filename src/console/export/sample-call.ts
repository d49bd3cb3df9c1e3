import type { Api } from '../../index.js'
import type { JsonObject } from '../../openapi/document.js'
import type { SampleCall } from '../../samples/call.js'
import type { ApiCall } from './calls.js'
import { createRequestBody } from './request-body.js'

/** A call with the example values of what it needs. */
export function createSampleCall(api: Api, document: JsonObject, call: ApiCall): SampleCall {
  const listNeeded = (place: string) =>
    call.parameters.filter((each) => each.in === place && each.isRequired).flatMap(({ example }) => example)
  const values = new Map(listNeeded('path'))
  const path = call.path.replaceAll(/\{([^{}]+)\}/g, (_template, name: string) =>
    encodeURIComponent(values.get(name) ?? name),
  )
  const query = listNeeded('query').map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return {
    scheme: call.security.alternatives.length > 0 ? api.scheme : 'none',
    method: call.method,
    url: api.resource + path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: listNeeded('header'),
    body: createRequestBody(document, call.body),
    tokenEndpoint: api.tokenEndpoint,
    keyHeader: api.keyHeaders[0],
  }
}
