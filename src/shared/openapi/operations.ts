import type { Api } from '../contracts/api.js'
import { asObject, followReference, listCallableOperations, type JsonObject } from './document.js'
import {
  isAtLeastAsConcrete,
  measureConcreteness,
  overlaps,
  parsePathTemplate,
  type PathTemplate,
} from './path-template.js'
import { describeShortly } from './read-document.js'
import { readReference } from './references.js'
import {
  findSecurityProblems,
  isListOfRequirements,
  listSecurities,
  readSecurity,
  type DocumentProblem,
  type Security,
} from './security.js'

export interface SecuredOperation {
  readonly method: string
  readonly template: PathTemplate
  readonly security: Security
}

export function readOperations(api: Api, document: JsonObject) {
  const problems = [
    ...findSecurityProblems(api, document),
    ...findSchemeProblems(api, document),
    ...findReferenceProblems(document),
  ]
  if (problems.length > 0) return { operations: [], problems }
  const operations: SecuredOperation[] = []
  for (const { method, path, operation } of listCallableOperations(document)) {
    const template = parsePathTemplate(path)
    // A guard must not open an operation because a search for problems has missed it.
    if (!isListOfRequirements(operation['security'] ?? document['security'] ?? []))
      throw new TypeError(`The "security" of ${method} ${path} is no list of requirements.`)
    if (template) operations.push({ method, template, security: readSecurity(api, document, operation) })
    else
      problems.push({
        problem: `has the path "${path}", which no request can have`,
        fix: 'Write it as in a URL: percent-encoded, and without a query, empty segments and dot segments.',
      })
  }
  operations.sort((a, b) => measureConcreteness(b.template) - measureConcreteness(a.template))
  return { operations, problems: [...problems, ...findAmbiguities(operations)] }
}

function isOfScheme(api: Api, declared: JsonObject): boolean {
  const { type, scheme } = declared
  const httpScheme = type === 'http' && typeof scheme === 'string' ? scheme.toLowerCase() : ''
  const isBearer = httpScheme === 'bearer'
  if (api.scheme === 'apiKey') {
    if (type === 'apiKey') return isKeyOf(api, declared)
    return api.keyHeaders[1] === 'Authorization' && (isBearer || httpScheme === 'basic')
  }
  return type === 'oauth2' || type === 'openIdConnect' || isBearer
}

/** Whether the key is sent where the guard reads it. The type `apiKey` is a bare key, never in `Authorization`. */
function isKeyOf({ keyHeaders }: Api, { in: place, name }: JsonObject): boolean {
  return (
    place === 'header' &&
    typeof name === 'string' &&
    name.toLowerCase() !== 'authorization' &&
    keyHeaders.some((header) => header.toLowerCase() === name.toLowerCase())
  )
}

/** Schemes that a guard does not check. An alternative of another scheme would otherwise open the operation. */
function findSchemeProblems(api: Api, document: JsonObject): DocumentProblem[] {
  const declared = asObject(asObject(document['components'])['securitySchemes'])
  const uses = listSecurities(document).flatMap(({ where, security }) =>
    (Array.isArray(security) ? security : []).flatMap((each) =>
      Object.entries(asObject(each)).map(([name, scopes]) => ({ where, name, scopes })),
    ),
  )
  const names = [...new Set(uses.map(({ name }) => name))]
  const hasDeclarations = Object.keys(declared).length > 0
  if (!hasDeclarations && names.length > 1)
    return [
      {
        problem: `names the security schemes ${names.map((name) => `"${name}"`).join(', ')} without declaring them`,
        fix: `The API "${api.name}" has one scheme: use one name, or declare them in components.securitySchemes.`,
      },
    ]
  return uses.flatMap(({ where, name, scopes }) => {
    const scheme = resolve(document, declared[name])
    if (hasDeclarations && !isOfScheme(api, scheme))
      return [describeOtherScheme(api, where, name, scheme, name in declared)]
    if (api.scheme === 'oauth2' || Object.keys(api.scopes).length > 0 || !Array.isArray(scopes) || !scopes[0]) return []
    return [
      {
        problem: `has a "security" of ${where} with the scope "${scopes[0]}", and API keys have no scopes at "${api.name}"`,
        fix: `Write { "${name}": [] }, or give the API the option "scopes".`,
      },
    ]
  })
}

function describeOtherScheme(api: Api, where: string, name: string, scheme: JsonObject, isDeclared: boolean) {
  const start = `has a "security" of ${where} with "${name}", which`
  if (api.scheme === 'apiKey' && scheme['type'] === 'apiKey') {
    const [header = '', second] = api.keyHeaders
    const { in: place, name: declaredName } = scheme
    if (second === 'Authorization' && place === 'header' && String(declaredName).toLowerCase() === 'authorization')
      return {
        problem: `${start} is the bare key in Authorization: tools that read it send no "Bearer" before the key, and are refused`,
        fix: `Write { "type": "http", "scheme": "bearer" } in components.securitySchemes, or "name": "${header}".`,
      }
    return {
      problem: `${start} is a key in the ${typeof place === 'string' ? place : 'request'} ${describeShortly(declaredName)}, and the API "${api.name}" takes keys in the header ${api.keyHeaders.join(' or ')}`,
      fix: `Write "in": "header" and "name": "${header}" in components.securitySchemes${scheme['in'] === 'header' ? ', or add the header to the API\'s option "header"' : ''}.`,
    }
  }
  const reason = isDeclared
    ? `is not of the scheme of the API "${api.name}" (${api.scheme})`
    : 'components.securitySchemes does not have'
  return { problem: `${start} ${reason}`, fix: 'Guards do not check it: remove it there.' }
}

function resolve(document: JsonObject, given: unknown): JsonObject {
  const reference = readReference(given)
  return reference === undefined ? asObject(given) : asObject(followReference(document, reference))
}

/** The specifications do not define which of the two would count. */
function findReferenceProblems(document: JsonObject): DocumentProblem[] {
  const paths = Object.entries(asObject(document['paths']))
  const both = paths.filter(
    ([, item]) =>
      '$ref' in asObject(item) &&
      Object.keys(asObject(item)).some((member) => !OTHER_MEMBERS.includes(member) && !member.startsWith('x-')),
  )
  return both.map(([path]) => ({
    problem: `has the path "${path}" with both a $ref and operations`,
    fix: 'Move the operations to where the $ref refers to.',
  }))
}

const OTHER_MEMBERS = ['$ref', 'summary', 'description', 'servers', 'parameters']

/** Pairs of operations of which a router would choose by the order of its routes, which the document does not have. */
function findAmbiguities(operations: readonly SecuredOperation[]): DocumentProblem[] {
  const problems: DocumentProblem[] = []
  operations.forEach((operation, at) => {
    for (const other of operations.slice(0, at)) {
      if (other.method !== operation.method || !overlaps(other.template, operation.template)) continue
      if (JSON.stringify(other.security) === JSON.stringify(operation.security)) continue
      const isLess = isAtLeastAsConcrete(operation.template, other.template)
      const isMore = isAtLeastAsConcrete(other.template, operation.template)
      if (isLess !== isMore) continue
      problems.push({
        problem: `has ${operation.method} ${other.template.path} and ${operation.method} ${operation.template.path}, which can match the same path and differ in security`,
        fix: 'Routers choose by the order of their routes. Give both the same security, or change a path.',
      })
    }
  })
  return problems
}
