import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { isObject } from '../../shared/lib/is-object.js'

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

/** The input of `update()` that a merge patch of an application stands for. */
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
