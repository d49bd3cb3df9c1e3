import { ConfigurationError, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { Store, StorePart } from '../../shared/contracts/store.js'
import type { Feature } from '../../feature.js'
import { describeKind, wrongOption } from '../../shared/lib/option-checks.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import type { CoreSettings } from './settings.js'

/** Reads the option `features`: each after those that it needs or may use. Each validates its own options. */
export function readFeatures(
  entries: unknown,
  settings: CoreSettings,
  store: Store | undefined,
  warn: (warning: ConfigurationProblem) => unknown,
) {
  if (entries === undefined) return []
  if (!Array.isArray(entries)) throw refuse('features', entries, 'Write a list, such as [usage()].')
  const given: readonly Feature[] = Array.from(entries as readonly unknown[]).flatMap(readEntry)
  const byName = new Map(given.map((feature) => [feature.name, feature]))
  const repeated = given.find(({ name }, at) => given.findIndex((each) => each.name === name) < at)
  if (repeated) throw wrongOption('features', `has ${repeated.name}() twice`, 'Give each feature once.')
  for (const feature of given) checkNeeds(feature, byName, store)
  return sortFeatures(given, byName).map((feature) => ({
    name: feature.name,
    pages: feature.pages ?? {},
    create: feature.prepare(settings, warn),
  }))
}

/** `false`, `undefined` and `''` are left out, so that a feature can depend on a setting. */
function readEntry(entry: unknown, index: number): readonly Feature[] {
  if (entry === undefined || entry === false || entry === '') return []
  const { name, prepare }: { readonly name?: unknown; readonly prepare?: unknown } = isObject(entry)
    ? ownMembers(entry)
    : {}
  if (typeof name === 'string' && typeof prepare === 'function') return [ownMembers(entry as Feature)]
  throw refuse(`features[${index}]`, entry, describeFix(entry))
}

/** The value is not shown: a mailer, or options, may contain a password. */
function refuse(option: string, value: unknown, fix: string): ConfigurationError {
  return new ConfigurationError({ option, problem: `is ${describeKind(value)}`, fix })
}

function describeFix(entry: unknown): string {
  if (typeof entry === 'function') return 'Call it if it makes a feature: usage() from "express-platform-auth/usage".'
  if (Array.isArray(entry)) return 'Write what it has into features: ...list.'
  return 'Give a feature, such as usage() from "express-platform-auth/usage"; a mailer as emails({ mailer }).'
}

function checkNeeds(
  { name, needs = [], optionNeeds = {}, storeParts = [] }: Feature,
  given: Map<string, Feature>,
  store: Store | undefined,
): void {
  const lacking = needs.find((need) => !given.has(need))
  if (lacking !== undefined)
    throw new ConfigurationError({
      option: 'features',
      problem: `has ${name}(), which needs ${lacking}()`,
      fix: `Add ${lacking}() from "express-platform-auth/${lacking}".`,
    })
  for (const [option, need] of Object.entries(optionNeeds)) {
    if (given.has(need)) continue
    throw new ConfigurationError({
      option,
      problem: `needs ${need}(), which is not given`,
      fix: `Add ${need}() from "express-platform-auth/${need}" to the option features, or leave out ${option}.`,
    })
  }
  const part = store && storeParts.find((each: StorePart) => !isObject(store[each]))
  if (part === undefined) return
  throw new ConfigurationError({
    option: 'store',
    problem: `has no part \`${part}\`, which ${name}() needs`,
    fix: `Use a store that has it, or leave out ${name}().`,
  })
}

function sortFeatures(given: readonly Feature[], byName: ReadonlyMap<string, Feature>): readonly Feature[] {
  const sorted = new Set<Feature>()
  const started = new Set<Feature>()
  function add(feature: Feature): void {
    if (started.has(feature)) return
    started.add(feature)
    for (const name of [...(feature.needs ?? []), ...(feature.mayUse ?? [])]) {
      const other = byName.get(name)
      if (other) add(other)
    }
    sorted.add(feature)
  }
  given.forEach(add)
  return [...sorted]
}
