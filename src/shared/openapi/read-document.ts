import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '../contracts/errors.js'
import { isObject, ownMembers } from '../lib/own-members.js'
import { require } from '../lib/require-package.js'
import { asObject, type JsonObject, followReference } from './document.js'
import { describeValue, wrongOption } from '../lib/option-checks.js'
import { connect, listObjects, parseAddress, readReference, type PlacedObject } from './references.js'

/** Copies a document, or the JSON or YAML file at a path. Throws `ConfigurationError`, in which `option` names it, for a wrong one. */
export function readDocument(option: string, given: unknown): JsonObject {
  const document = loadDocument(option, given)
  checkVersion(option, document)
  checkStructure(option, document)
  const address = typeof given === 'string' ? pathToFileURL(resolve(given)).href : 'https://document.invalid/'
  const [lost] = connectReferences(document, address)
  if (!lost) return document
  const { reference, isElsewhere } = lost
  if (!isElsewhere)
    throw wrongOption(option, `refers to "${reference}", which is not in it`, 'Add it, or correct the name.')
  const fix = 'Make it one document: npx @redocly/cli bundle openapi.json -o openapi.json'
  throw wrongOption(option, `refers to "${reference}", another document`, fix)
}

export function readSource(given: unknown): { readonly document: unknown; readonly prefix: unknown } {
  if (!isObject(given) || !Object.hasOwn(given, 'document') || Object.hasOwn(given, 'openapi'))
    return { document: given, prefix: undefined }
  return { document: given['document'], prefix: Object.hasOwn(given, 'prefix') ? given['prefix'] : undefined }
}

export function loadDocument(option: string, given: unknown): JsonObject {
  return typeof given === 'string' ? readFile(option, given) : copyAsJson(option, given)
}

export function describeShortly(value: unknown): string {
  return describeValue(value).slice(0, 60)
}

function readFile(option: string, path: string): JsonObject {
  const file = resolve(path)
  let text: string
  try {
    text = decode(readFileSync(file))
  } catch (error) {
    throw wrongOption(
      option,
      `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      'Give the path of a JSON or YAML file. A relative path starts at the folder in which the process was started.',
    )
  }
  const isYaml = /\.ya?ml$/i.test(file)
  try {
    checkSize(option, text)
    if (!isYaml) return parseJson(text)
    // Merge keys (<<) as in the parsers of other tools: without them an operation would lose a `security` that it shares.
    return copyAsJson(option, loadYaml(option).parse(text, { merge: true, maxAliasCount: MAX_ALIASES }))
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw wrongOption(
      option,
      `names ${file}, which is not ${isYaml ? 'YAML' : 'JSON'} (${(error as Error).message.replaceAll(/\s+/g, ' ').trim()})`,
      isYaml ? 'Correct the file.' : 'Correct the file. The name of a YAML file ends with .yaml or .yml.',
    )
  }
}

/** UTF-8, or UTF-16 if a byte order mark says so. Editors and .NET write such a mark, which is no part of the text. */
function decode(bytes: Buffer): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2)
  if (first === 0xfe && second === 0xff)
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le', 2)
  return bytes.toString().replace(/^\uFEFF/, '')
}

/** Copies through JSON, as the document will be served, so that a value that JSON cannot hold is found at start-up. */
function copyAsJson(option: string, given: unknown): JsonObject {
  let text: string
  try {
    text = JSON.stringify(given)
    checkSize(option, text)
    return parseJson(text)
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw wrongOption(option, 'cannot be written as JSON', 'Give an OpenAPI document, or the path of one.')
  }
}

/** Parses JSON so that nothing in it inherits: a polluted `Object.prototype` must not provide an operation's `security`. */
function parseJson(text: string): JsonObject {
  const withoutPrototype = (_name: string, value: unknown): unknown => (isObject(value) ? ownMembers(value) : value)
  return asObject(JSON.parse(text, withoutPrototype))
}

const MAX_MEGABYTES = 25

/** A page of a larger document would keep the process busy for many seconds. GitHub's has 13 MB. */
function checkSize(option: string, text: string): void {
  const megabytes = Math.ceil(text.length / 100_000) / 10
  if (megabytes > MAX_MEGABYTES)
    throw wrongOption(
      option,
      `has ${megabytes} MB, and ${MAX_MEGABYTES} MB are allowed`,
      'Keep references in it, in place of copies of what they refer to, or give a document of this API alone.',
    )
}

function checkVersion(option: string, { openapi, swagger }: JsonObject): void {
  if (swagger !== undefined && openapi === undefined)
    throw wrongOption(
      `${option}.swagger`,
      `is ${describeShortly(swagger)}`,
      'Convert it to OpenAPI 3: npx swagger2openapi swagger.json -o openapi.json (for a YAML file: npx swagger2openapi --yaml swagger.yaml -o openapi.yaml)',
    )
  if (typeof openapi === 'string' && /^3\.[012]\.\d/.test(openapi)) return
  throw wrongOption(
    `${option}.openapi`,
    typeof openapi === 'number'
      ? `is ${openapi}, a number, and OpenAPI needs a text`
      : `is ${describeShortly(openapi)}`,
    'OpenAPI 3.0, 3.1 and 3.2 are supported: "openapi": "3.1.0".',
  )
}

function checkStructure(option: string, { openapi, info, paths, webhooks, components }: JsonObject): void {
  checkInfo(option, info)
  // OpenAPI 3.1 made paths optional, for documents that describe webhooks or schemas only. An empty object is always allowed.
  if (paths === undefined && !String(openapi).startsWith('3.0') && (isObject(webhooks) || isObject(components))) return
  if (!isObject(paths))
    throw wrongOption(`${option}.paths`, `is ${describeShortly(paths)}`, 'Describe at least one path.')
  const wrong = Object.keys(paths).find((path) => !path.startsWith('/') && !path.startsWith('x-'))
  if (wrong !== undefined)
    throw wrongOption(`${option}.paths["${wrong}"]`, 'does not begin with a slash', `Write "/${wrong}".`)
}

function checkInfo(option: string, info: unknown): void {
  const members = asObject(info)
  for (const name of ['title', 'version']) {
    const value = members[name]
    if (typeof value === 'string') continue
    if (typeof value === 'number' || typeof value === 'boolean')
      throw wrongOption(
        `${option}.info.${name}`,
        `is ${value}, a ${typeof value}, and OpenAPI needs a text`,
        `Write it in quotes: ${name}: "${value}".`,
      )
    throw wrongOption(
      `${option}.info`,
      `is ${describeShortly(info)}`,
      'Write "info": { "title": "...", "version": "1.0.0" }.',
    )
  }
}

interface Yaml {
  parse(text: string, options: { merge: boolean; maxAliasCount: number }): unknown
}

/** Aliases that a document may use: each could be expanded to a large part of it. */
const MAX_ALIASES = 1000

/** Loads the package synchronously, since documents are read where options are. */
function loadYaml(option: string): Yaml {
  try {
    return require('yaml') as Yaml
  } catch (cause) {
    throw new ConfigurationError(
      {
        option,
        problem: 'names a YAML file, which needs the package yaml, and that could not be loaded',
        fix: 'Run: npm install yaml. Or give a JSON file: npx js-yaml openapi.yaml > openapi.json',
      },
      { cause },
    )
  }
}

/** A reference that is no pointer from the root leads to an `$anchor`, an `$id`, or the address of the document (its `$self`, or `address`). */
function connectReferences(document: JsonObject, address: string) {
  const { $self: self } = document
  const root = (typeof self === 'string' ? parseAddress(self, address)?.address : undefined) ?? address
  const objects = listObjects(document, root)
  const named = nameObjects(objects).set(root, '#').set(address, '#')
  return objects.flatMap((each) => {
    const reference = readReference(each.object)
    // To JSON Schema, `#` is the nearest schema with an address.
    if (reference === undefined || (reference === '#' && each.base === root)) return []
    if (isPointerFromRoot(document, reference)) return []
    const target = parseAddress(reference, each.base)
    const resource = target && named.get(target.address)
    const pointer = target?.fragment.startsWith('/')
      ? resource + target.fragment.replaceAll('%', '%25')
      : target && named.get(target.fragment === '' ? target.address : `${target.address}#${target.fragment}`)
    if (pointer === undefined || resource === undefined || (pointer !== '#' && !isPointerFromRoot(document, pointer)))
      return [{ reference, isElsewhere: resource === undefined && !reference.startsWith('#') }]
    connect(each.object, pointer)
    // The document is served under another address than the one that it was read from.
    if (!reference.startsWith('#') && root === address && target?.address === address) each.object['$ref'] = pointer
    return []
  })
}

function isPointerFromRoot(document: JsonObject, reference: string): boolean {
  return reference.startsWith('#/') && followReference(document, reference) !== undefined
}

function nameObjects(objects: readonly PlacedObject[]): Map<string, string> {
  const named = new Map<string, string>()
  for (const { object, pointer, base } of objects) {
    const { $id: id, $anchor, $dynamicAnchor } = object
    // Before 2020-12, an `$id` could be an anchor.
    const anchors = [$anchor, $dynamicAnchor, typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined]
    if (typeof id === 'string' && !id.startsWith('#')) named.set(base, pointer)
    for (const anchor of anchors)
      if (typeof anchor === 'string' && !named.has(`${base}#${anchor}`)) named.set(`${base}#${anchor}`, pointer)
  }
  return named
}
