import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigurationError, type Api } from '../index.js'
import { asObject, finishDocument, operationsIn, scopesOf, type JsonObject } from './openapi.js'

/** Reads and finishes the option `documents`; refuses by name and with the cure what is no document of these APIs. */
export function readDocuments(apis: readonly Api[], documents: unknown): ReadonlyMap<string, JsonObject> {
  const names = apis.map(({ name }) => name)
  if (typeof documents !== 'object' || documents === null || Array.isArray(documents))
    throw new ConfigurationError({
      option: 'documents',
      problem: `is ${show(documents)}`,
      fix: `Write { ${names[0]}: './openapi.json' }.`,
    })
  const finished = new Map<string, JsonObject>()
  for (const [name, given] of Object.entries(documents)) {
    const api = apis.find((each) => each.name === name)
    if (!api)
      throw new ConfigurationError({
        option: `documents.${name}`,
        problem: 'names no API',
        fix: `There are: ${names.join(', ')}.`,
      })
    if (given !== undefined) finished.set(name, finishDocument(api, readDocument(api, given)))
  }
  return finished
}

/** The document as it is given, in a copy of our own. */
function readDocument(api: Api, given: unknown): JsonObject {
  const option = `documents.${api.name}`
  const document = typeof given === 'string' ? readFile(option, given) : copy(option, given)
  check(option, document)
  checkSecurity(option, 'the document', document['security'], api)
  for (const paths of [document['paths'], asObject(document['components'])['pathItems']])
    for (const { method, path, operation } of operationsIn(paths))
      checkSecurity(option, `${method.toUpperCase()} ${path}`, operation['security'], api)
  return document
}

function readFile(option: string, path: string): JsonObject {
  const file = resolve(path)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigurationError({
      option,
      problem: `names ${file}, which can't be read (${codeOf(error)})`,
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

/** As it will be served, so that what can't be is found now. */
function copy(option: string, given: unknown): JsonObject {
  try {
    return asObject(JSON.parse(JSON.stringify(given)))
  } catch {
    throw new ConfigurationError({
      option,
      problem: "can't be written as JSON",
      fix: 'Give an OpenAPI document, or the path of one.',
    })
  }
}

function check(option: string, document: JsonObject): void {
  const { openapi, swagger, info, paths } = document
  if (typeof openapi !== 'string' || !/^3\.[01]\.\d/.test(openapi)) {
    const [member, version] = swagger === undefined ? ['openapi', openapi] : ['swagger', swagger]
    throw new ConfigurationError({
      option: `${option}.${member}`,
      problem: `is ${show(version)}`,
      fix: 'The console shows OpenAPI 3.0 and 3.1: "openapi": "3.1.0".',
    })
  }
  const { title, version } = asObject(info)
  if (typeof title !== 'string' || typeof version !== 'string')
    throw new ConfigurationError({
      option: `${option}.info`,
      problem: `is ${show(info)}`,
      fix: 'Write "info": { "title": "...", "version": "1.0.0" }.',
    })
  if (typeof paths !== 'object' || paths === null || Object.keys(paths).length === 0)
    throw new ConfigurationError({
      option: `${option}.paths`,
      problem: `is ${show(paths)}`,
      fix: 'Describe at least one path.',
    })
  const wrong = Object.keys(paths).find((path) => !path.startsWith('/') && !path.startsWith('x-'))
  if (wrong !== undefined)
    throw new ConfigurationError({
      option: `${option}.paths["${wrong}"]`,
      problem: "doesn't begin with a slash",
      fix: `Write "/${wrong}".`,
    })
  for (const reference of referencesIn(document)) checkReference(option, document, reference)
}

function checkSecurity(option: string, where: string, security: unknown, api: Api): void {
  if (security === undefined) return
  if (!Array.isArray(security))
    throw new ConfigurationError({
      option,
      problem: `has a "security" of ${where} that is ${show(security)}`,
      fix: `Write a list: [{ "${api.scheme}": [] }], or [] where nothing is needed.`,
    })
  const known = Object.keys(api.scopes)
  const unknown = api.scheme === 'oauth2' && security.flatMap(scopesOf).find((scope) => !known.includes(scope))
  if (typeof unknown === 'string')
    throw new ConfigurationError({
      option,
      problem: `has a "security" of ${where} with the scope "${unknown}", which apis.${api.name}.scopes doesn't have`,
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
  // RFC 6901 4 and 6: a path of members, with ~ and % as escapes.
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

/** Members whose values are examples of anything, `$ref` included. */
const ANYTHING = new Set(['default', 'enum', 'const', 'example', 'examples', 'value'])

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [member, content] of Object.entries(value)) {
    if (member === '$ref' && typeof content === 'string') yield content
    else if (!ANYTHING.has(member)) yield* referencesIn(content)
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}

function show(value: unknown): string {
  const text = JSON.stringify(value)
  return text === undefined ? (value === undefined ? 'missing' : typeof value) : text.slice(0, 60)
}
