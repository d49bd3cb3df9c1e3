import type { Api } from '../contracts/api.js'
import { ConfigurationError, describeWithFix } from '../contracts/errors.js'
import { isObject } from '../lib/own-members.js'
import { asObject, listWrittenOperations, type JsonObject } from './document.js'
import { describeShortly } from './read-document.js'
import { wrongOption } from '../lib/option-checks.js'

export interface Security {
  readonly optional: boolean
  /** Lists of scopes, one of which the caller's credential needs. Empty if the operation is public. */
  readonly alternatives: readonly (readonly string[])[]
}

/** The operation's own `security`, else the document's, else all scopes. Its scheme may have any name: an API has one scheme. */
export function readSecurity(api: Api, document: JsonObject, operation: JsonObject): Security {
  const security = operation['security'] ?? document['security']
  if (security === undefined) return { optional: false, alternatives: [Object.keys(api.scopes)] }
  const requirements = (security as unknown[]).map(asObject)
  const needed = requirements.filter((requirement) => Object.keys(requirement).length > 0)
  return {
    optional: needed.length < requirements.length || needed.length === 0,
    alternatives: needed.map((requirement) => listScopesAt(api, requirement)),
  }
}

/** The scopes that a security requirement names at an API. A key API may have none: then what is named are roles of something else. */
export function listScopesAt(api: Api, requirement: unknown): string[] {
  return namesScopes(api) ? listScopes(requirement) : []
}

function namesScopes({ scheme, scopes }: Api): boolean {
  return scheme === 'oauth2' || Object.keys(scopes).length > 0
}

export function listScopes(requirement: unknown): string[] {
  return Object.values(asObject(requirement)).flat().map(String)
}

/** A mistake in a document, as the rest of a sentence that begins with the document's name. */
export interface DocumentProblem {
  readonly problem: string
  readonly fix: string
}

/** Mistakes in `security`: values that are no list of requirements, and scopes that the API lacks. */
export function findSecurityProblems(api: Api, document: JsonObject): DocumentProblem[] {
  const places = listSecurities(document)
  const isValid = ({ security }: SecurityPlace): boolean => isListOfRequirements(security)
  const wrong = places.filter((place) => !isValid(place))
  const problems = wrong.map(({ where, security }) => ({
    problem: `has a "security" of ${where} that is ${describeShortly(security)}`,
    fix: `Write a list: [{ "${api.scheme}": [] }], or [] where nothing is needed.`,
  }))
  return namesScopes(api) ? [...findUnknownScopes(api, document, places.filter(isValid)), ...problems] : problems
}

interface SecurityPlace {
  readonly where: string
  readonly security: unknown
}

function findUnknownScopes(api: Api, document: JsonObject, places: readonly SecurityPlace[]): DocumentProblem[] {
  const whereByScope = new Map<string, string>()
  for (const { where, security } of places) {
    for (const scope of (security as unknown[]).flatMap(listScopes))
      if (!Object.hasOwn(api.scopes, scope) && !whereByScope.has(scope)) whereByScope.set(scope, where)
  }
  const [first] = whereByScope
  if (first === undefined) return []
  const [scope, where] = first
  const known = Object.keys(api.scopes).join(', ') || 'none'
  const meanings = readScopeMeanings(document)
  const lines = [...whereByScope.keys()].map(
    (each) => `  ${JSON.stringify(each)}: ${JSON.stringify(meanings.get(each) ?? each)},`,
  )
  const isOne = whereByScope.size === 1
  return [
    {
      problem: isOne
        ? `has a "security" of ${where} with the scope "${scope}", which apis.${api.name}.scopes does not have`
        : `has a "security" with ${whereByScope.size} scopes that apis.${api.name}.scopes does not have (the first is "${scope}", of ${where})`,
      fix: `There are: ${known}. Correct ${isOne ? 'it' : 'them'} in the document, or add to apis.${api.name}.scopes:\n${lines.join('\n')}`,
    },
  ]
}

function readScopeMeanings(document: JsonObject): ReadonlyMap<string, string> {
  const schemes = Object.values(asObject(asObject(document['components'])['securitySchemes']))
  const flows = schemes.flatMap((scheme) => Object.values(asObject(asObject(scheme)['flows'])))
  const entries = flows.flatMap((flow) => Object.entries(asObject(asObject(flow)['scopes'])))
  const meanings = entries.filter((entry): entry is [string, string] => isText(entry[1]))
  const lines = meanings.map(([scope, meaning]) => [scope, meaning.trim().replaceAll(/\s+/g, ' ')] as const)
  return new Map(lines.filter(([, line]) => line !== ''))
}

export function listSecurities(document: JsonObject): SecurityPlace[] {
  return [
    { where: 'the document', members: document },
    ...listWrittenOperations(document).map(({ method, path, operation }) => ({
      where: `${method} ${path}`,
      members: operation,
    })),
  ].flatMap(({ where, members }) =>
    Object.hasOwn(members, 'security') ? [{ where, security: members['security'] }] : [],
  )
}

export function refuseProblems(option: string, problems: readonly DocumentProblem[]): void {
  const [first] = problems
  if (first === undefined) return
  if (problems.length === 1) throw new ConfigurationError({ option, ...first })
  const list = problems.map(
    ({ problem, fix }, at) => `(${at + 1}) ${describeWithFix({ problem: `It ${problem}`, fix })}`,
  )
  throw wrongOption(option, `has ${problems.length} mistakes`, list.join('\n'))
}

export function isListOfRequirements(security: unknown): boolean {
  // An object with a list of scopes per scheme. Any other value would read as `{}`: no credential is needed.
  const isRequirement = (value: unknown): boolean =>
    isObject(value) && Object.values(value).every((each) => Array.isArray(each) && each.every(isText))
  return Array.isArray(security) && security.every(isRequirement)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
