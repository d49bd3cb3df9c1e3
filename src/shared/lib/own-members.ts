/** Whether a value is an object with named members: no array, no function, not `null`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Array.isArray() does not narrow readonly arrays. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Own members without a prototype: a polluted `Object.prototype` (CWE-1321) must not provide what was left out. */
export function ownMembers<Members extends object>(object: Members): Members {
  return Object.assign(Object.create(null) as Members, object)
}

/** The members of a JSON object; undefined for a text that is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? ownMembers(value) : undefined
  } catch {
    return undefined
  }
}

/** Which member of a union an object is, by a member that only that one has as its own. */
export function hasOwnMember<Union extends object, Name extends string>(
  object: Union,
  name: Name,
): object is Extract<Union, { readonly [name in Name]: unknown }> {
  return Object.hasOwn(object, name)
}

/** `ownMembers` of a plain object; any other value unchanged. */
export function copyPlainObject(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? ownMembers(value) : value
}

/** No input of a call has more levels; what is deeper is refused where it is read. */
const MAX_LEVELS = 50

/** A value like JSON, all of whose objects have their own members only; what is deeper than that is left as it is. */
export function copyOwn(value: unknown, levels = MAX_LEVELS): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value
  if (Array.isArray(value)) return value.map((each) => copyOwn(each, levels - 1))
  const copied = Object.create(null) as Record<string, unknown>
  for (const [name, member] of Object.entries(value)) copied[name] = copyOwn(member, levels - 1)
  return copied
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next?: string | undefined
}

/** The pages of a list, each read when it is asked for; only a `next` of its own leads from one to another. `start`: the first `after`. */
export async function* readPages<Item>(readPage: (after: string | undefined) => Promise<Page<Item>>, start?: string) {
  for (let after = start; ;) {
    const { items, next } = ownMembers(await readPage(after))
    yield items
    if (next === undefined) return
    after = next
  }
}
