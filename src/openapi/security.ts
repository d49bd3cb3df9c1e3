import type { Api } from '../contracts/api.js'
import { ConfigurationError } from '../contracts/errors.js'
import { isObject } from '../lib/is-object.js'
import { asObject, listOperations, type JsonObject } from './document.js'
import { describeShortly } from './read-document.js'

/** What a caller of an operation needs. */
export interface Security {
  /** Whether a caller needs no credential. */
  readonly optional: boolean
  /** Lists of scopes, one of which the caller's credential needs. None: the operation is open, and no credential is read. */
  readonly alternatives: readonly (readonly string[])[]
}

/**
 * What an operation requires: its own `security`, else the document's. A document without one requires all scopes of the API.
 * The scheme's name does not matter, because an API has one scheme.
 */
export function readSecurity(api: Api, document: JsonObject, operation: JsonObject): Security {
  const security = operation['security'] ?? document['security']
  if (security === undefined) return { optional: false, alternatives: [Object.keys(api.scopes)] }
  const requirements = (security as unknown[]).map(asObject)
  const needed = requirements.filter((requirement) => Object.keys(requirement).length > 0)
  return {
    optional: needed.length < requirements.length || needed.length === 0,
    alternatives: needed.map((requirement) => (api.scheme === 'oauth2' ? listScopes(requirement) : [])),
  }
}

/** The scopes that a security requirement names, whatever name it gives the scheme. */
export function listScopes(requirement: unknown): string[] {
  return Object.values(asObject(requirement)).flat().map(String)
}

/** A mistake in a document, as the rest of a sentence that begins with the document's name. */
export interface DocumentProblem {
  readonly problem: string
  readonly fix: string
}

/** What is wrong with each `security` of a document: no list of requirements, or a scope that the API does not have. */
export function findSecurityProblems(api: Api, document: JsonObject): DocumentProblem[] {
  const places = listSecurities(document)
  return places.flatMap(({ where, security }) => {
    if (!Array.isArray(security) || !security.every(isRequirement))
      return [
        {
          problem: `has a "security" of ${where} that is ${describeShortly(security)}`,
          fix: `Write a list: [{ "${api.scheme}": [] }], or [] where nothing is needed.`,
        },
      ]
    const known = Object.keys(api.scopes)
    const unknown = api.scheme === 'oauth2' ? security.flatMap(listScopes).filter((each) => !known.includes(each)) : []
    return unknown.map((scope) => ({
      problem: `has a "security" of ${where} with the scope "${scope}", which apis.${api.name}.scopes does not have`,
      fix: `There are: ${known.join(', ') || 'none'}.`,
    }))
  })
}

/** Each `security` of a document, with the operation that it belongs to. */
export function listSecurities(document: JsonObject): { readonly where: string; readonly security: unknown }[] {
  const { components, paths } = document
  const operations = [paths, asObject(components)['pathItems']].flatMap(listOperations)
  return [
    { where: 'the document', members: document },
    ...operations.map(({ method, path, operation }) => ({ where: `${method} ${path}`, members: operation })),
  ].flatMap(({ where, members }) =>
    Object.hasOwn(members, 'security') ? [{ where, security: members['security'] }] : [],
  )
}

/** Throws one `ConfigurationError` with all problems, if there are any. */
export function refuseProblems(option: string, problems: readonly DocumentProblem[]): void {
  const [first] = problems
  if (first === undefined) return
  if (problems.length === 1) throw new ConfigurationError({ option, ...first })
  const list = problems.map(({ problem, fix }, at) => `(${at + 1}) It ${problem}. ${fix}`)
  throw new ConfigurationError({ option, problem: `has ${problems.length} mistakes`, fix: list.join(' ') })
}

/** An object with a list of scopes for each scheme. Anything else would read as `{}`: no credential is needed. */
function isRequirement(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => Array.isArray(each) && each.every(isText))
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
