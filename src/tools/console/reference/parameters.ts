import { asObject, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { listPathVariables } from '../../../shared/samples/request.js'
import { readList, readText, resolve, resolveEntries } from './read-schema.js'

export interface Parameter {
  readonly name: string
  readonly place: Place
  readonly required: boolean
  readonly deprecated: boolean
  readonly style: string
  readonly explode: boolean
  /** Whether characters with a meaning in URLs stay as they are. */
  readonly allowReserved: boolean
  readonly description: string | undefined
  readonly schema: unknown
  readonly mediaType: string | undefined
  /** The parameter object, and its media type object, which may have examples. */
  readonly members: JsonObject
  readonly content: JsonObject
}

const PLACES = ['path', 'query', 'querystring', 'header', 'cookie'] as const
type Place = (typeof PLACES)[number]
/** OpenAPI says that parameters with these names have no effect. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']
const STYLES: Readonly<Record<string, string>> = { path: 'simple', header: 'simple' }

/** The parameters, and those of the path item, required ones first; also a variable that nothing describes. */
export function listParameters(document: JsonObject, each: Operation): Parameter[] {
  const { path } = each
  const described = listDescribedParameters(document, each)
  const all = new Map(described.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter]))
  for (const name of path.startsWith('/') ? listPathVariables(path) : []) {
    const parameter = readParameter(document, asObject({ name, in: 'path', schema: { type: 'string' } }))
    if (parameter && !all.has(`path ${name}`)) all.set(`path ${name}`, parameter)
  }
  const order = ({ place, required }: Parameter): number => PLACES.indexOf(place) + (required ? 0 : PLACES.length)
  return [...all.values()].toSorted((a, b) => order(a) - order(b))
}

export function listDescribedParameters(document: JsonObject, { pathItem, operation }: Operation): Parameter[] {
  const given = [...readList(pathItem['parameters']), ...readList(operation['parameters'])]
  const all = given.flatMap((each) => readParameter(document, resolve(document, each)) ?? [])
  return [...new Map(all.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter])).values()]
}

function readParameter(document: JsonObject, members: JsonObject): Parameter | undefined {
  const name = readText(members['name'])
  const place = PLACES.find((each) => each === members['in'])
  if (name === undefined || place === undefined) return undefined
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined
  const [mediaType, content = asObject(undefined)] = resolveEntries(document, members['content'])[0] ?? []
  const style = readText(members['style']) ?? STYLES[place] ?? 'form'
  const explode = members['explode']
  return {
    name,
    place,
    required: place === 'path' || members['required'] === true,
    deprecated: members['deprecated'] === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'cookie',
    allowReserved: members['allowReserved'] === true,
    description: readText(members['description']),
    schema: members['schema'] ?? content['schema'],
    mediaType,
    members,
    content,
  }
}
