import { readFileSync } from 'node:fs'
import { ConfigurationError, type PlatformAuth } from '../../index.js'
import { isObject } from '../../lib/is-object.js'

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly api: string
  /** Upper case. */
  readonly method: string
  /** As in the document, relative to the API's address. */
  readonly path: string
  /** The scopes of each alternative of `security`; undefined if neither the operation nor the document has it. */
  readonly security: readonly (readonly string[])[] | undefined
  /** Whether it can be called without a credential. */
  readonly isOpen: boolean
}

type JsonObject = Readonly<Record<string, unknown>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The operations of the option `documents`: API name -> OpenAPI document, or the path of a JSON file. */
export function readOperations(auth: Pick<PlatformAuth, 'apis'>, documents: unknown): Operation[] {
  return Object.entries(asObject(documents)).flatMap(([api, given]) => {
    const option = `documents.${api}`
    if (!auth.apis.some(({ name }) => name === api)) {
      const names = auth.apis.map(({ name }) => name).join(', ')
      throw new ConfigurationError({ option, problem: 'names no API', fix: `There are: ${names}.` })
    }
    const document = typeof given === 'string' ? readDocument(option, given) : asObject(given)
    const paths = asObject(document['paths'])
    if (Object.keys(paths).length === 0) {
      throw new ConfigurationError({
        option,
        problem: 'describes no path',
        fix: 'Give an OpenAPI document, or the path of a JSON file.',
      })
    }
    return Object.entries(paths).flatMap(([path, item]) =>
      listOperations(api, path, asObject(item), document['security']),
    )
  })
}

function listOperations(api: string, path: string, item: JsonObject, inherited: unknown): Operation[] {
  return METHODS.filter((method) => Object.hasOwn(item, method)).map((method) => {
    const operation = asObject(item[method])
    const security = Object.hasOwn(operation, 'security') ? operation['security'] : inherited
    const alternatives = Array.isArray(security) ? security.map(asObject) : undefined
    return {
      api,
      method: method.toUpperCase(),
      path,
      security: alternatives?.map((alternative) => Object.values(alternative).flat().map(String)),
      isOpen:
        alternatives !== undefined &&
        (alternatives.length === 0 || alternatives.some((each) => Object.keys(each).length === 0)),
    }
  })
}

/** Whether a path of Express, such as `/items/:id`, is a path of a document, such as `/items/{orderId}`. */
export function isSamePath(expressPath: string, documentPath: string): boolean {
  const normalize = (path: string): string => `${path.replace(/\/$/, '')}/`.toLowerCase()
  const plain = normalize(expressPath).replaceAll(/:\w+/g, '{}')
  return plain === normalize(documentPath).replaceAll(/\{[^}]*\}/g, '{}')
}

/** A path that a document's path describes. */
export function fillPath(documentPath: string): string {
  let count = 0
  return documentPath.replaceAll(/\{[^}]*\}/g, () => `value${(count += 1)}`)
}

function readDocument(option: string, path: string): JsonObject {
  try {
    return asObject(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new ConfigurationError({
      option,
      problem: `names ${path}, which cannot be read as JSON (${(error as Error).message})`,
      fix: 'Give the path of a JSON file, or a parsed document.',
    })
  }
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
