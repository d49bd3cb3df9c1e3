import type { PlatformAuth } from '../../../index.js'
import { isObject } from '../../../shared/lib/own-members.js'
import { asObject, listCallableOperations, type JsonObject } from '../../../shared/openapi/document.js'
import { takeBelow } from '../../../shared/openapi/prefix.js'
import { loadDocument, readDocument, readSource } from '../../../shared/openapi/read-document.js'
import { findSecurityProblems, readSecurity, refuseProblems, type Security } from '../../../shared/openapi/security.js'
import { wrongOption } from '../../../shared/lib/option-checks.js'

export interface Operation {
  readonly api: string
  readonly method: string
  readonly path: string
  readonly security: Security
}

/** The operations of the option `documents`: API name -> OpenAPI document, or the path of a JSON or YAML file; or such a document with a prefix. */
export function readOperations(auth: Pick<PlatformAuth, 'apis'>, documents: unknown): Operation[] {
  return Object.entries(isObject(documents) ? documents : {}).flatMap(([name, given]) => {
    const option = `documents.${name}`
    const api = auth.apis.find((each) => each.name === name)
    if (!api) {
      const names = auth.apis.map((each) => each.name).join(', ')
      throw wrongOption(option, 'names no API', `There are: ${names}.`)
    }
    const { document: source, prefix } = readSource(given)
    const loaded = loadDocument(option, source)
    if (!['paths', 'webhooks', 'components'].some((member) => Object.hasOwn(loaded, member))) {
      const fix = 'Give an OpenAPI document, or the path of a JSON or YAML file.'
      throw wrongOption(option, 'describes no path', fix)
    }
    const document = takeBelow(`${option}.prefix`, readDocument(option, complete(loaded)), prefix)
    refuseProblems(option, findSecurityProblems(api, document))
    const operations = listCallableOperations(document)
    return operations.map(({ method, path, operation }) => {
      const security = readSecurity(api, document, operation)
      return { api: name, method: method.toUpperCase(), path, security }
    })
  })
}

/** Tests may give the part of a document that matters: `{ paths: { ... } }`. */
function complete(document: JsonObject): JsonObject {
  const { openapi = document['swagger'] === undefined ? '3.1.0' : undefined, info } = document
  return { ...document, openapi, info: { title: 'API', version: '1', ...asObject(info) } }
}

/** Whether a path of Express, such as `/items/:id`, is a path of a document, such as `/items/{orderId}`. */
export function isSamePath(expressPath: string, documentPath: string): boolean {
  const normalize = (path: string): string => `${path.replace(/\/$/, '')}/`.toLowerCase()
  const plain = normalize(expressPath).replaceAll(/:\w+/g, '{}')
  return plain === normalize(documentPath).replaceAll(/\{[^}]*\}/g, '{}')
}

export function fillPath(documentPath: string): string {
  let count = 0
  return documentPath.replaceAll(/\{[^}]*\}/g, () => `value${(count += 1)}`)
}
