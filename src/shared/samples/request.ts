import type { SampleBody } from './prepare.js'
import { serializeHeader, serializePathParameter, serializeQueryParameter, type Parameter } from './serialize.js'

export interface CallInput {
  readonly method: string
  readonly resource: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly accept?: string | undefined
  readonly body?: SampleBody | undefined
}

/** The URL of a call. The name of a path parameter without a value stays, in braces. */
export function buildUrl({ resource, path, parameters }: CallInput): string {
  const values = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each]))
  const filled = path.replaceAll(VARIABLE, (whole, written: string) => {
    const parameter = values.get(written) ?? values.get(readName(written))
    return parameter === undefined ? whole : serializePathParameter(parameter)
  })
  const query = parameters.filter((parameter) => parameter.in.startsWith('query')).flatMap(serializeQueryParameter)
  return `${resource}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** The names of the variables of a path; `{name+}`, as Smithy writes a variable of several segments, is `name`. */
export function listPathVariables(path: string): string[] {
  return [...path.matchAll(VARIABLE)].map(([, written]) => readName(written!)).filter((name) => !name.startsWith('$'))
}

const VARIABLE = /\{([^{}]+)\}/g

function readName(written: string): string {
  return written.replace(/[+*]$/, '')
}

/** Whether the path has a segment `.` or `..` in any spelling that browsers remove: the call would reach another path, with the credential. */
export function hasDotSegment(url: string): boolean {
  const [path = ''] = url.replaceAll(/[\t\n\r]/g, '').split(/[?#]/, 1)
  return /[/\\](?:\.|%2e){1,2}(?=[/\\]|$)/i.test(path)
}

/** The headers of a call without its credential. OpenAPI ignores parameters with these three names. */
export function buildHeaders({ parameters, accept }: CallInput): [name: string, value: string][] {
  const given = parameters
    .filter(({ in: place, name }) => place === 'header' && !/^(?:accept|content-type|authorization)$/i.test(name))
    .map((parameter): [string, string] => [parameter.name, serializeHeader(parameter)])
  const cookies = parameters.filter((parameter) => parameter.in === 'cookie').flatMap(serializeQueryParameter)
  return [
    ...(accept === undefined ? [] : [['Accept', accept] satisfies [string, string]]),
    ...given,
    ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] satisfies [string, string]] : []),
  ]
}
