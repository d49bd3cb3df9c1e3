import type { IncomingMessage } from 'node:http'
import { readJson } from '../../core/http/json-body.js'
import { describeMember } from '../operations/operation.js'
import { readHeader } from '../../shared/lib/request.js'
import type { Route } from './routes.js'
import { Problem } from './problem.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { isObject } from '../../shared/lib/own-members.js'

export async function readInput(
  req: IncomingMessage,
  { operation, method, hasBody }: Route,
  parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const shape = operation.input.shape
  const given = hasBody ? await readBody(req, method) : readQuery(req, shape)
  const twice = Object.keys(parameters).find((name) => Object.hasOwn(given, name))
  if (twice !== undefined) throw new Problem('invalid_argument', `${twice} is a part of the path.`)
  if (hasBody && (req.url ?? '').includes('?'))
    throw new Problem('invalid_argument', 'Members are in the body, and not in the query.')
  return { ...given, ...parameters }
}

async function readBody(req: IncomingMessage, method: string): Promise<Readonly<Record<string, unknown>>> {
  const isEmpty =
    readHeader(req, 'transfer-encoding') === undefined && Number(readHeader(req, 'content-length') ?? 0) === 0
  if (isEmpty) return {}
  const type = readHeader(req, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  const isPatch = method === 'PATCH' && type === 'application/merge-patch+json'
  if (type !== 'application/json' && !isPatch)
    throw new Problem('unsupported_media_type', 'The Content-Type must be application/json.')
  return readJson(req, [type])
}

function readQuery(req: IncomingMessage, shape: Route['operation']['input']['shape']) {
  const { url = '' } = req
  const start = url.indexOf('?')
  const members = new Map<string, unknown>()
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start))) {
    if (members.has(name)) throw new Problem('invalid_argument', 'Each parameter of the query is given once.')
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    members.set(name, schema ? readText(value, describeMember(schema).kind) : value)
  }
  return Object.fromEntries(members)
}

function readText(text: string, kind: ReturnType<typeof describeMember>['kind']): unknown {
  if (kind === 'number' && /^\d{1,15}$/.test(text)) return Number(text)
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** The versions that `If-Match` names; undefined if any will do. A weak tag, or one of another API, is never the current one (RFC 9110 13.1.1). */
export function readVersions(req: IncomingMessage): readonly number[] | undefined {
  const given = readHeader(req, 'if-match')
  if (given === undefined || given.trim() === '*') return undefined
  return given.split(',').flatMap((each) => /^"(\d{1,15})"$/.exec(each.trim())?.slice(1).map(Number) ?? [])
}

type Members = Readonly<Record<string, unknown>>

/** What a patch makes of a value (RFC 7396). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

/** Whether a patch depends on what the application has: `update()` replaces members as a whole. */
export function needsRecord({ metadata, rateLimits }: Members): boolean {
  return isObject(metadata) || isObject(rateLimits)
}

export function applyPatch(input: Members, record: ApplicationRecord): Members {
  const { metadata, rateLimits } = input
  const limits = Object.entries(record.rateLimits ?? {}).map(([api, { limit, window, until }]) => {
    return [api, { limit, window, ...(until !== undefined && { until: new Date(until).toISOString() }) }] as const
  })
  const former = Object.fromEntries(limits)
  return {
    ...input,
    ...(isObject(metadata) && { metadata: mergePatch(record.metadata, metadata) }),
    ...(isObject(rateLimits) && {
      rateLimits: Object.fromEntries(
        Object.entries(rateLimits).map(([api, limit]) => [
          api,
          mergePatch(Object.hasOwn(former, api) ? former[api] : undefined, limit),
        ]),
      ),
    }),
  }
}
