import type { Debugger, Runtime, Session } from 'node:inspector'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callOn, callsVariable, inspectFunctions, readProperties } from './inspector.js'

/**
 * Finds where functions are defined: `src/orders.ts:12`, relative to the working directory. Undefined for a function of a
 * package, and if the engine does not say. V8 knows the place, and its inspector is the only way to ask. A function of a
 * package, and one that was made at the same place as another of `all`, is a wrapper: the place of the function that it calls
 * counts.
 */
export function findSourceLocations(
  functions: readonly unknown[],
  all: readonly unknown[],
): readonly (string | undefined)[] {
  const every = [...new Set([...functions, ...all])]
  const find = (session: Session, ids: readonly (string | undefined)[]) => readLocations(session, functions, every, ids)
  return inspectFunctions(every, find) ?? functions.map(() => undefined)
}

function readLocations(
  session: Session,
  functions: readonly unknown[],
  all: readonly unknown[],
  ids: readonly (string | undefined)[],
): (string | undefined)[] {
  session.on('Debugger.scriptParsed', ({ params }) => void SCRIPTS.set(params.scriptId, params))
  const chains = ids.map((id) => readChain(session, id))
  // It lists all scripts of the process, which takes longer than all the rest.
  if (chains.flat().some(({ location }) => location && !SCRIPTS.has(location.scriptId))) session.post('Debugger.enable')
  const count = new Map<string, number>()
  for (const place of chains.flat().map(describePlace)) count.set(place, (count.get(place) ?? 0) + 1)
  return functions.map((each) => {
    const chain = chains[all.indexOf(each)]!.map((link) => ({ place: describePlace(link), text: formatPlace(link) }))
    const own = chain.find(({ place, text }) => text !== undefined && count.get(place) === 1)
    return (own ?? chain.findLast(({ text }) => text !== undefined))?.text
  })
}

const MAX_WRAPPERS = 4

interface DescribedFunction {
  readonly location: Debugger.Location | undefined
  /** The variables of the functions in which it is defined, the innermost first. */
  readonly scopes: string | undefined
  readonly source: string
}

/** A function, and the one that it calls if it is a wrapper. */
function readChain(session: Session, functionId: string | undefined): DescribedFunction[] {
  const chain = [describeFunction(session, functionId)]
  while (chain.length <= MAX_WRAPPERS) {
    const inner = findWrapped(session, chain.at(-1)!)
    if (inner === undefined) break
    chain.push(describeFunction(session, inner))
  }
  return chain
}

function describePlace({ location }: DescribedFunction): string {
  return `${location?.scriptId} ${location?.lineNumber} ${location?.columnNumber}`
}

function formatPlace({ location }: DescribedFunction): string | undefined {
  const script = location && SCRIPTS.get(location.scriptId)
  return script && formatLocation(script, location)
}

/** The function that a wrapper calls: a variable of the function that has made the wrapper. */
function findWrapped(session: Session, { scopes, source }: DescribedFunction): string | undefined {
  const [innermost] = scopes === undefined ? [] : readProperties(session, scopes).result
  const variables =
    innermost?.value?.objectId === undefined ? [] : readProperties(session, innermost.value.objectId).result
  const functions = variables.filter(({ value }) => value?.type === 'function')
  return functions.find(({ name }) => callsVariable(source, name))?.value?.objectId
}

const SCRIPTS = new Map<string, Debugger.ScriptParsedEventDataType>()
const SOURCE_MAPS = new Map<string, SourceMap | undefined>()

const READ_SOURCE = 'function () { return Function.prototype.toString.call(this) }'

function describeFunction(session: Session, functionId: string | undefined): DescribedFunction {
  if (functionId === undefined) return { location: undefined, scopes: undefined, source: '' }
  const { internalProperties = [] } = readProperties(session, functionId)
  const find = (name: string): Runtime.RemoteObject | undefined =>
    internalProperties.find((property) => property.name === name)?.value
  const source = String(callOn(session, functionId, READ_SOURCE)?.value)
  const location = find('[[FunctionLocation]]')?.value as Debugger.Location | undefined
  return { location, scopes: find('[[Scopes]]')?.objectId, source }
}

function formatLocation(
  { url, scriptId, sourceMapURL = '' }: Debugger.ScriptParsedEventDataType,
  { lineNumber, columnNumber = 0 }: Debugger.Location,
): string | undefined {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url
  if (file === '' || /[\\/]node_modules[\\/]|^node:/.test(file)) return undefined
  if (!SOURCE_MAPS.has(scriptId)) SOURCE_MAPS.set(scriptId, readSourceMap(sourceMapURL))
  const entry = SOURCE_MAPS.get(scriptId)?.findEntry(lineNumber, columnNumber)
  const line = entry && 'originalLine' in entry ? entry.originalLine : lineNumber
  return `${relative(process.cwd(), file)}:${line + 1}`
}

const INLINE_MAP = /^data:application\/json[^,]*;base64,/

/** The map that a test runner leaves in the script that it has made of a TypeScript file. */
function readSourceMap(url: string): SourceMap | undefined {
  const [prefix] = INLINE_MAP.exec(url) ?? []
  if (prefix === undefined) return undefined
  return new SourceMap(JSON.parse(Buffer.from(url.slice(prefix.length), 'base64').toString()) as SourceMapPayload)
}
