// What a document says about each of its operations, read here a second time: nothing of `src` is used.

/** The names of everything that a reader of an operation must find. */
export interface DescribedOperation extends Record<PartKind, ReadonlySet<string>> {
  readonly kind: 'operation' | 'webhook'
  readonly method: string
  readonly path: string
  /** The schemas of `components` that were read for it. */
  readonly schemas: ReadonlySet<string>
}

export const PART_KINDS = ['parameters', 'properties', 'answers', 'mediaTypes', 'headers', 'callbacks'] as const
export type PartKind = (typeof PART_KINDS)[number]

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of a provider, whose members may be missing
type Json = Readonly<Record<string, any>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const NO_PARAMETERS = ['accept', 'content-type', 'authorization']

export function describeOperations(document: Json): DescribedOperation[] {
  const describe = (kind: DescribedOperation['kind'], items: Json = {}): DescribedOperation[] =>
    Object.entries<Json>(items)
      .filter(([path]) => kind === 'webhook' || path.startsWith('/'))
      .flatMap(([path, given]) => {
        const item = follow(document, given)
        return listMethods(item).map(([method, operation]) => ({
          kind,
          method,
          path,
          ...readOperation(document, item, operation),
        }))
      })
  return [
    ...describe('operation', document['paths']),
    ...describe('webhook', document['webhooks'] ?? document['x-webhooks']),
  ]
}

function listMethods(item: Json): [method: string, operation: Json][] {
  const own = METHODS.filter((method) => item[method]).map((method): [string, Json] => [
    method.toUpperCase(),
    item[method],
  ])
  return [...own, ...Object.entries<Json>(item['additionalOperations'] ?? {})]
}

function readOperation(document: Json, item: Json, operation: Json) {
  const found = {
    parameters: new Set<string>(),
    properties: new Set<string>(),
    answers: new Set<string>(),
    mediaTypes: new Set<string>(),
    headers: new Set<string>(),
    callbacks: new Set<string>(),
    schemas: new Set<string>(),
  }
  const seen = new Set<unknown>()
  readRequest(item, operation)
  return found

  function readRequest(around: Json, request: Json): void {
    for (const each of [...(around['parameters'] ?? []), ...(request['parameters'] ?? [])]) {
      const parameter = follow(document, each)
      if (parameter['in'] === 'header' && NO_PARAMETERS.includes(parameter['name'].toLowerCase())) continue
      found.parameters.add(parameter['name'])
      readValue(parameter)
    }
    readContent(follow(document, request['requestBody'] ?? {}))
    for (const [status, given] of listEntries(request['responses'])) {
      if (status.startsWith('x-')) continue
      const response = follow(document, given)
      found.answers.add(status)
      readContent(response)
      for (const [name, header] of listEntries(response['headers'])) {
        found.headers.add(name)
        readValue(follow(document, header))
      }
    }
    for (const [, callback] of listEntries(request['callbacks']))
      for (const [expression, given] of listEntries(follow(document, callback))) {
        if (expression.startsWith('x-')) continue
        const inner = follow(document, given)
        for (const [method, each] of listMethods(inner)) {
          found.callbacks.add(`${method} ${expression}`)
          readRequest(inner, each)
        }
      }
  }

  function readContent({ content }: Json): void {
    for (const [type, given] of listEntries(content)) {
      found.mediaTypes.add(type)
      const media = follow(document, given)
      readSchema(media['schema'] ?? media['itemSchema'])
    }
  }

  function readValue({ schema, content }: Json): void {
    readSchema(schema)
    for (const media of Object.values<Json>(content ?? {})) readSchema(media['schema'])
  }

  /** A schema is read once, so that one that contains itself ends. */
  function readSchema(given: unknown): void {
    if (typeof given !== 'object' || given === null || seen.has(given)) return
    seen.add(given)
    const schema = given as Json
    if (typeof schema['$ref'] === 'string') {
      const target = follow(document, { $ref: schema['$ref'] })
      for (const [name, each] of listEntries(document['components']?.['schemas']))
        if (each === target) found.schemas.add(name)
      readSchema(target)
    }
    for (const [property, value] of Object.entries(schema['properties'] ?? {})) {
      found.properties.add(property)
      readSchema(value)
    }
    for (const member of ['patternProperties', 'dependentSchemas'])
      Object.values(schema[member] ?? {}).forEach(readSchema)
    for (const member of ['allOf', 'oneOf', 'anyOf', 'prefixItems']) (schema[member] ?? []).forEach(readSchema)
    for (const member of [
      'items',
      'additionalProperties',
      'not',
      'if',
      'then',
      'else',
      'contains',
      'propertyNames',
      'contentSchema',
      'unevaluatedProperties',
      'unevaluatedItems',
    ])
      readSchema(schema[member])
    if (schema['discriminator'] && !schema['oneOf'] && !schema['anyOf']) listHeirs(schema).forEach(readSchema)
  }

  /** The schemas that the discriminator names, and those that extend its schema. */
  function listHeirs(schema: Json): Json[] {
    const schemas: Json = document['components']?.['schemas'] ?? {}
    const mapped = Object.values<string>(schema['discriminator']['mapping'] ?? {})
      .map((target) => ({ $ref: target in schemas ? `#/components/schemas/${target}` : target }))
      .filter(({ $ref: target }) => target.slice('#/components/schemas/'.length) in schemas)
    const heirs = Object.entries<Json>(schemas).filter(([, each]) =>
      each['allOf']?.some((part: Json) => part['$ref'] && follow(document, part) === schema),
    )
    return [...mapped, ...(mapped.length > 0 ? [] : heirs.map(([name]) => ({ $ref: `#/components/schemas/${name}` })))]
  }
}

function listEntries(map: Json | undefined): [string, Json][] {
  return Object.entries<Json>(map ?? {})
}

function follow(document: Json, given: Json): Json {
  const { $ref: reference } = given
  if (typeof reference !== 'string') return given
  const pointer = reference.replace(document['$self'] ?? /^$/, '')
  const target = pointer.startsWith('#/') ? followPointer(document, pointer) : findNamed(document, pointer)
  return follow(document, target!)
}

function followPointer(document: Json, pointer: string): Json {
  const steps = pointer
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce((part: Json, step) => part[step], document)
}

/** The first object with this address, or this anchor. */
function findNamed(part: unknown, name: string): Json | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  const { $id: id, $anchor: anchor } = part as Json
  if (id === name || `#${anchor}` === name) return part
  return Object.values(part)
    .map((each) => findNamed(each, name))
    .find((each) => each !== undefined)
}

/** The parts of an operation that are not on its page. */
export function listMissingOnPage(described: DescribedOperation, page: string): string[] {
  const texts = new Set([...page.matchAll(/>([^<>]+)</g)].map(([, text]) => decodeText(text!)))
  return listMissing(described, (_kind, name) => texts.has(name))
}

/** The parts of an operation that are neither in its section of the Markdown nor in those of its schemas. */
export function listMissingInMarkdown(described: DescribedOperation, markdown: string): string[] {
  const [operations = '', schemas = ''] = markdown.split('\n## Schemas\n')
  // Descriptions have headings of their own.
  const methods = [...METHODS.map((method) => method.toUpperCase()), described.method].join('|')
  const title = `### ${described.method} ${described.path}`
  const isOwn = (section: string): boolean => [':', '\n'].some((end) => section.startsWith(title + end))
  const isSchema = (section: string): boolean => described.schemas.has(section.slice(4, section.indexOf('\n')))
  const own = operations
    .split(new RegExp(`^(?=### (?:${methods}) )`, 'm'))
    .filter(isOwn)
    .join('')
  const all =
    own +
    schemas
      .split(/^(?=### )/m)
      .filter(isSchema)
      .join('')
  return listMissing(described, (kind, name) => {
    if (kind === 'parameters') return own.includes(`- \`${name}\` (`)
    if (kind === 'properties') return all.includes(`- \`${name}\`: `)
    if (kind === 'answers') return own.includes(`\n- ${name}: `)
    if (kind === 'callbacks') return own.includes(`: ${name}\n`)
    return own.includes(`\`${name}\``)
  })
}

function listMissing(described: DescribedOperation, has: (kind: PartKind, name: string) => boolean): string[] {
  return PART_KINDS.flatMap((kind) =>
    [...described[kind]]
      .filter((name) => !has(kind, name))
      .map((name) => `${described.method} ${described.path}: ${kind} ${name}`),
  )
}

function decodeText(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return text
    .replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string) =>
      code ? String.fromCodePoint(Number(code)) : (named[name] ?? whole),
    )
    .trim()
}
