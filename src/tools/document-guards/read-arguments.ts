import type { Api } from '../../shared/contracts/api.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { AllowRequest, AuthInfo, BearerGuardOptions, Guard, GuardOptions } from '../../index.js'
import { describeValue } from '../../shared/lib/describe-value.js'
import { isObject } from '../../shared/lib/is-object.js'
import { readOperations, type SecuredOperation } from '../../shared/openapi/operations.js'
import { findRepeatedPrefix, takeBelow, type RepeatedPrefix } from '../../shared/openapi/prefix.js'
import { readDocument } from '../../shared/openapi/read-document.js'
import { refuseProblems, type DocumentProblem } from '../../shared/openapi/security.js'
import type { GuardParts } from '../../core/resource-server/guards.js'
import { wrongOption } from '../../shared/lib/option-checks.js'

export type RequestCost = NonNullable<BearerGuardOptions['cost']>

/** The options of `guardsFromDocument()`. */
export interface DocumentGuardsOptions<Metadata = Record<string, unknown>> extends Omit<GuardOptions, 'optional'> {
  /** Decides about each request that meets everything else, except of open operations. */
  readonly allow?: AllowRequest<AuthInfo<Metadata>>
  /**
   * The beginning of this API's paths in a document of several APIs, such as `/orders`: paths below it count, without it, and
   * the rest is ignored. If left out, the paths of the document are relative to the guard's mount path.
   */
  readonly prefix?: string
  /**
   * The units that a request counts toward the application's plan, as a guard's `cost`; or those of operations by their names, such as
   * `{ 'POST /reports': 5 }`, where 1 unit is that of the others. 1 if left out.
   */
  readonly cost?: RequestCost | Readonly<Record<string, RequestCost>>
  /**
   * The answer to a request whose path or method is not in the document: `'refuse'` (404 or 405) by default; `'pass'` lets it
   * pass without a credential; a guard of this platform decides about it.
   */
  readonly undocumented?: 'refuse' | 'pass' | Guard
}

export function readDocumentArguments(
  { apis, readGuardOptions, readCost }: GuardParts,
  name: unknown,
  given: unknown,
  options: unknown,
): {
  api: Api
  operations: readonly SecuredOperation[]
  options: DocumentGuardsOptions
  findCost: (name: string) => RequestCost
  repeated: RepeatedPrefix | undefined
} {
  const api = typeof name === 'string' ? apis.get(name) : undefined
  if (!api)
    throw new ConfigurationError({
      problem: `guardsFromDocument: there is no API ${describeValue(name)}`,
      fix: `There are: ${[...apis.keys()].join(', ')}.`,
    })
  const call = `guardsFromDocument("${api.name}")`
  const known = ['allow', 'onDenied', 'cost', 'undocumented', 'prefix', 'reportOnly'] as const
  const guardOptions = readGuardOptions<DocumentGuardsOptions>(call, options, known, () => undefined)
  const { prefix, cost } = guardOptions
  const document = takeBelow(`${call}: prefix`, readDocument(`${call}: document`, given), prefix)
  const { operations, problems } = readOperations(api, document)
  const repeated = prefix === undefined ? findRepeatedPrefix(api, document) : undefined
  refuseProblems(
    `${call}: document`,
    repeated && problems.length > 0 ? [...problems, describeRepeated(repeated)] : problems,
  )
  const findCost = readCosts(
    call,
    cost,
    operations.map((each) => nameOperation(each, prefix)),
    readCost,
  )
  return { api, operations, options: guardOptions, findCost, repeated }
}

/** The name of an operation, as its document has it: `GET /items/{id}`. */
export function nameOperation({ method, template: { path } }: SecuredOperation, prefix = ''): string {
  return `${method} ${path === '/' && prefix !== '' ? prefix : prefix + path}`
}

function readCosts(
  call: string,
  given: DocumentGuardsOptions['cost'],
  names: readonly string[],
  readCost: GuardParts['readCost'],
): (name: string) => RequestCost {
  if (!isObject(given)) {
    const cost = readCost(call, given)
    return () => cost
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw wrongOption(
      `${call}: cost`,
      `has "${unknown}", which is no operation of the document`,
      `Write the method and the path as the document does: ${names.slice(0, 3).join(', ')}.`,
    )
  const costs = new Map(Object.entries(given).map(([name, cost]) => [name, readCost(`${call}: ${name}`, cost)]))
  return (name) => costs.get(name) ?? 1
}

function describeRepeated({ prefix, path, isEveryPath }: RepeatedPrefix): DocumentProblem {
  return {
    problem: `has paths that begin with "${prefix}", such as ${path}${isEveryPath ? '' : ', and others: it may describe several APIs'}`,
    fix: `Give { prefix: '${prefix}' } as options, to take what is below it.`,
  }
}

/** The guard for everything outside the document; undefined if that is refused. Throws for any other function. */
export function readUndocumented(given: unknown, { isGuard, describeNoGuard }: GuardParts): Guard | undefined {
  if (given === 'refuse') return undefined
  if (given === 'pass') return (_req, _res, next) => next()
  if (isGuard(given)) return given as Guard
  throw wrongOption(
    'guardsFromDocument: undocumented',
    `is ${describeNoGuard(given)}`,
    "Write 'refuse', 'pass', or a guard such as auth.requireBearer('orders').",
  )
}
