/** A value that JSON cannot express, or that is too large. The message names the member, and says what is wrong with it. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError'
}

/** Levels of objects and lists within each other. */
const MAX_DEPTH = 16

/** JSON of an object from outside. Throws `NotJsonError` for what JSON cannot express. `name` is for messages. */
export function stringifyJsonObject(name: string, value: unknown, maxBytes: number): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotJsonError(`${name} must be a JSON object, and is ${describeKind(value)}.`)
  const tooLarge = `${name} is larger than ${maxBytes} bytes of JSON.`
  // Every value takes at least a byte. Without a bound, a list of lists could refer to the same list exponentially often.
  let left = maxBytes
  const parents: object[] = []

  function spend(bytes: number): void {
    left -= bytes
    if (left < 0) throw new NotJsonError(tooLarge)
  }

  /** A copy that inherits nothing, whose members were each read once. */
  function copy(part: unknown, path: readonly PropertyKey[]): unknown {
    spend(typeof part === 'string' ? part.length : 1)
    if (isScalar(part)) return part
    if (!isPlain(part)) throw new NotJsonError(`${formatPath(name, path)} is ${describeKind(part)}. ${WHAT_JSON_HAS}`)
    if (parents.includes(part)) throw new NotJsonError(`${formatPath(name, path)} contains itself.`)
    if (parents.length === MAX_DEPTH) throw new NotJsonError(`${name} has more than ${MAX_DEPTH} levels.`)
    parents.push(part)
    const copied = Array.isArray(part) ? copyList(part, path) : copyMembers(part, path)
    parents.pop()
    return copied
  }

  function copyList(list: readonly unknown[], path: readonly PropertyKey[]): unknown[] {
    spend(list.length)
    // map() is not used: it leaves out the holes of a list.
    return Array.from(list, (item, index) => copy(item, [...path, index]))
  }

  function copyMembers(object: object, path: readonly PropertyKey[]): object {
    const copied = Object.create(null) as Record<string, unknown>
    for (const member of Object.keys(object)) {
      if (member === '__proto__')
        throw new NotJsonError(`${formatPath(name, path)} has a member "__proto__", which is not allowed.`)
      spend(member.length)
      copied[member] = copy((object as Record<string, unknown>)[member], [...path, member])
    }
    return copied
  }

  const text = JSON.stringify(copy(value, []))
  if (Buffer.byteLength(text) > maxBytes) throw new NotJsonError(tooLarge)
  return text
}

/** Why a value is no JSON object, however large it is; undefined if it is one. */
export function findJsonProblem(name: string, value: unknown): string | undefined {
  try {
    stringifyJsonObject(name, value, Infinity)
    return undefined
  } catch (error) {
    if (error instanceof NotJsonError) return error.message
    throw error
  }
}

/** The name of a path in a value: `metadata.addresses[0].street`. */
export function formatPath(name: string, path: readonly PropertyKey[]): string {
  const steps = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    return typeof key === 'string' && !/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)
      ? `[${JSON.stringify(key)}]`
      : `.${String(key)}`
  })
  return name + steps.join('')
}

export function copyJson<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as Value
  const copied: Record<string, unknown> = {}
  for (const member of Object.keys(value)) copied[member] = copyJson((value as Record<string, unknown>)[member])
  return copied as Value
}

export function estimateJsonBytes(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 16
  let bytes = 64
  for (const member of Object.keys(value))
    bytes += 16 + 2 * member.length + estimateJsonBytes((value as Record<string, unknown>)[member])
  return bytes
}

const WHAT_JSON_HAS = 'JSON has text, finite numbers, true, false, null, lists and plain objects.'

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/** A list, or an object of no class; also of another Node context, such as Jest's. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return typeof value === 'string' ? 'text' : `a ${typeof value}`
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  return kind === 'Object' ? 'an instance of a class' : `a ${kind}`
}
