import type { Runtime, Session } from 'node:inspector'
import type { Handler } from '../../express-routes/layers.js'
import { callOn, callsVariable, inspectFunctions, readProperties } from './inspector.js'

/** The values that a function has from elsewhere. */
export interface Closure {
  /** The texts in variables that it sees: lists of paths that are public, tables of services. */
  readonly texts: readonly string[]
  /** The source of the functions that it calls by the names of such variables. */
  readonly sources: readonly string[]
}

const KNOWN = new WeakMap<Handler, Closure>()
const EMPTY: Closure = { texts: [], sources: [] }

export function readClosure(fn: Handler): Closure {
  const known = KNOWN.get(fn)
  if (known) return known
  const source = Function.prototype.toString.call(fn)
  const closure =
    inspectFunctions([fn], (session, [id]) => (id === undefined ? EMPTY : read(session, id, source))) ?? EMPTY
  KNOWN.set(fn, closure)
  return closure
}

const MAX_SCOPES = 3
const MAX_VARIABLES = 60

function read(session: Session, functionId: string, source: string): Closure {
  const { internalProperties = [] } = readProperties(session, functionId)
  const scopes = internalProperties.find(({ name }) => name === '[[Scopes]]')?.value?.objectId
  if (scopes === undefined) return EMPTY
  const isOwn = ({ value }: Runtime.PropertyDescriptor): boolean =>
    /^(?:Closure|Block|Module)/.test(value?.description ?? '')
  const own = readProperties(session, scopes).result.filter(isOwn).slice(0, MAX_SCOPES)
  const variables = own.flatMap(({ value }) =>
    value?.objectId === undefined ? [] : readProperties(session, value.objectId).result.slice(0, MAX_VARIABLES),
  )
  return {
    texts: variables.flatMap(({ value }) => (value ? readValue(session, value) : [])),
    sources: variables.flatMap(({ name, value }) =>
      value?.type === 'function' && callsVariable(source, name) ? (value.description ?? []) : [],
    ),
  }
}

function readValue(session: Session, { type, value, objectId }: Runtime.RemoteObject): string[] {
  if (type === 'string') return [String(value)]
  if (type !== 'object' || objectId === undefined) return []
  const texts: unknown = callOn(session, objectId, LIST_TEXTS, { returnByValue: true })?.value
  return Array.isArray(texts) ? texts.filter((text): text is string => typeof text === 'string') : []
}

/** This runs in the inspector. It reads only containers whose members nobody computes. */
const LIST_TEXTS = `function () {
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(this))
  const items = Array.isArray(this) ? this : this instanceof Set || this instanceof Map ? [...this.keys()] : this instanceof RegExp ? [] : isPlain ? Object.keys(this) : []
  return items.slice(0, 60).filter((item) => typeof item === 'string' && item.length <= 80)
}`
