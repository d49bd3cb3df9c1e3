import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigurationError, type Api } from '../index.js'
import { describeValue } from '../lib/describe-value.js'
import { isObject } from '../lib/is-object.js'
import {
  asObject,
  completeDocument,
  listOperations,
  listScopes,
  type CompletionOptions,
  type JsonObject,
} from './openapi.js'

/** Reads the option `documents` and completes each document; throws `ConfigurationError` for one that cannot be shown. */
export function readDocuments(
  apis: readonly Api[],
  documents: unknown,
  options: CompletionOptions,
): ReadonlyMap<string, JsonObject> {
  const names = apis.map(({ name }) => name)
  if (!isObject(documents))
    throw new ConfigurationError({
      option: 'documents',
      problem: `is ${describeShortly(documents)}`,
      fix: `Write { ${names[0]}: './openapi.json' }.`,
    })
  const documentByApi = new Map<string, JsonObject>()
  for (const [name, given] of Object.entries(documents)) {
    const api = apis.find((each) => each.name === name)
    if (!api)
      throw new ConfigurationError({
        option: `documents.${name}`,
        problem: 'names no API',
        fix: `There are: ${names.join(', ')}.`,
      })
    if (given === undefined) continue
    const document = readDocument(api, given)
    warnOfRepeatedPrefix(api, document)
    documentByApi.set(name, completeDocument(api, document, options))
  }
  return documentByApi
}

/** A copy of the given document, checked. */
function readDocument(api: Api, given: unknown): JsonObject {
  const option = `documents.${api.name}`
  const document = typeof given === 'string' ? readFile(option, given) : copyAsJson(option, given)
  checkDocument(option, document)
  checkSecurity(option, 'the document', document['security'], api)
  for (const paths of [document['paths'], asObject(document['components'])['pathItems']])
    for (const { method, path, operation } of listOperations(paths))
      checkSecurity(option, `${method.toUpperCase()} ${path}`, operation['security'], api)
  return document
}

/** A warning only: `{baseUrl}/orders/orders` may exist. */
function warnOfRepeatedPrefix(api: Api, document: JsonObject): void {
  const paths = Object.keys(asObject(document['paths'])).filter((path) => path.startsWith('/'))
  const prefixes = [`/${api.name}`, new URL(api.resource).pathname]
  const repeated = prefixes.find(
    (prefix) => paths.length > 0 && paths.every((path) => `${path}/`.startsWith(`${prefix}/`)),
  )
  if (repeated === undefined) return
  process.emitWarning(
    `documents.${api.name} begins every path with "${repeated}", so the console calls ${api.resource}${paths[0]}. Remove "${repeated}" if that is wrong: paths are relative to ${api.resource}.`,
    'ExpressPlatformAuthWarning',
  )
}

function readFile(option: string, path: string): JsonObject {
  const file = resolve(path)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigurationError({
      option,
      problem: `names ${file}, which cannot be read (${readErrorCode(error)})`,
      fix: 'Give the path of a JSON file. A relative path starts at the folder in which the process was started.',
    })
  }
  try {
    return asObject(JSON.parse(text))
  } catch (error) {
    throw new ConfigurationError({
      option,
      problem: `names ${file}, which is not JSON (${(error as Error).message.replaceAll(/\s+/g, ' ')})`,
      fix: 'Convert a YAML document once: npx js-yaml openapi.yaml > openapi.json',
    })
  }
}

/** Through JSON, as it will be served, so that a value that JSON cannot hold is found at start-up. */
function copyAsJson(option: string, given: unknown): JsonObject {
  try {
    return asObject(JSON.parse(JSON.stringify(given)))
  } catch {
    throw new ConfigurationError({
      option,
      problem: 'cannot be written as JSON',
      fix: 'Give an OpenAPI document, or the path of one.',
    })
  }
}

function checkDocument(option: string, document: JsonObject): void {
  const { openapi, swagger, info, paths } = document
  if (typeof openapi !== 'string' || !/^3\.[01]\.\d/.test(openapi)) {
    const [member, version] = swagger === undefined ? ['openapi', openapi] : ['swagger', swagger]
    throw new ConfigurationError({
      option: `${option}.${member}`,
      problem: `is ${describeShortly(version)}`,
      fix: 'The console shows OpenAPI 3.0 and 3.1: "openapi": "3.1.0".',
    })
  }
  const { title, version } = asObject(info)
  if (typeof title !== 'string' || typeof version !== 'string')
    throw new ConfigurationError({
      option: `${option}.info`,
      problem: `is ${describeShortly(info)}`,
      fix: 'Write "info": { "title": "...", "version": "1.0.0" }.',
    })
  if (typeof paths !== 'object' || paths === null || Object.keys(paths).length === 0)
    throw new ConfigurationError({
      option: `${option}.paths`,
      problem: `is ${describeShortly(paths)}`,
      fix: 'Describe at least one path.',
    })
  const wrong = Object.keys(paths).find((path) => !path.startsWith('/') && !path.startsWith('x-'))
  if (wrong !== undefined)
    throw new ConfigurationError({
      option: `${option}.paths["${wrong}"]`,
      problem: 'does not begin with a slash',
      fix: `Write "/${wrong}".`,
    })
  for (const reference of listReferences(document)) checkReference(option, document, reference)
}

function checkSecurity(option: string, where: string, security: unknown, api: Api): void {
  if (security === undefined) return
  if (!Array.isArray(security))
    throw new ConfigurationError({
      option,
      problem: `has a "security" of ${where} that is ${describeShortly(security)}`,
      fix: `Write a list: [{ "${api.scheme}": [] }], or [] where nothing is needed.`,
    })
  const known = Object.keys(api.scopes)
  const unknown = api.scheme === 'oauth2' && security.flatMap(listScopes).find((scope) => !known.includes(scope))
  if (typeof unknown === 'string')
    throw new ConfigurationError({
      option,
      problem: `has a "security" of ${where} with the scope "${unknown}", which apis.${api.name}.scopes does not have`,
      fix: `There are: ${known.join(', ') || 'none'}.`,
    })
}

function checkReference(option: string, document: JsonObject, reference: string): void {
  if (!reference.startsWith('#'))
    throw new ConfigurationError({
      option,
      problem: `refers to "${reference}", another document`,
      fix: 'Make it one document: npx @redocly/cli bundle openapi.json -o openapi.json',
    })
  if (!reference.startsWith('#/')) return
  // RFC 6901 sections 4 and 6: member names separated by slashes, escaped with ~ and %.
  const steps = reference
    .slice(2)
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)))
  let target: unknown = document
  for (const step of steps.split('/'))
    target = (target as JsonObject | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  if (target === undefined)
    throw new ConfigurationError({
      option,
      problem: `refers to "${reference}", which is not in it`,
      fix: 'Add it, or correct the name.',
    })
}

/** Members that may hold arbitrary JSON. A `$ref` in them is data, not a reference. */
const ARBITRARY_VALUES = new Set(['default', 'enum', 'const', 'example', 'examples', 'value'])

function* listReferences(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [member, content] of Object.entries(value)) {
    if (member === '$ref' && typeof content === 'string') yield content
    else if (!ARBITRARY_VALUES.has(member)) yield* listReferences(content)
  }
}

function readErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}

function describeShortly(value: unknown): string {
  return describeValue(value).slice(0, 60)
}
