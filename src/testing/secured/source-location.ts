import { Session, type Debugger, type Runtime } from 'node:inspector'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where functions are defined: `src/orders.ts:12`, relative to the working directory. Undefined for a function of a package, and
 * where the engine does not say. V8 knows it, and its inspector is the only way to ask.
 */
export function findSourceLocations(functions: readonly unknown[]): readonly (string | undefined)[] {
  const session = new Session()
  try {
    session.connect()
    return readLocations(session, functions)
  } catch {
    return functions.map(() => undefined)
  } finally {
    Reflect.deleteProperty(globalThis, KEY)
    session.disconnect()
  }
}

const KEY = Symbol.for('express-platform-auth.functions')

function readLocations(session: Session, functions: readonly unknown[]): (string | undefined)[] {
  const contexts: number[] = []
  session.on('Debugger.scriptParsed', ({ params }) => void SCRIPTS.set(params.scriptId, params))
  session.on('Runtime.executionContextCreated', ({ params }) => void contexts.push(params.context.id))
  session.post('Runtime.enable')
  Reflect.set(globalThis, KEY, functions)
  const list = findList(session, contexts)
  const locations = functions.map((_, at) => (list === undefined ? undefined : findLocation(session, list, at)))
  // It lists all scripts of the process, which takes longer than all the rest.
  if (locations.some((location) => location && !SCRIPTS.has(location.scriptId))) session.post('Debugger.enable')
  return locations.map((location) => {
    const script = location && SCRIPTS.get(location.scriptId)
    return script && formatLocation(script, location)
  })
}

const SCRIPTS = new Map<string, Debugger.ScriptParsedEventDataType>()
const SOURCE_MAPS = new Map<string, SourceMap | undefined>()

/** The list of functions. Jest runs tests in a context of their own, whose global object is another one. */
function findList(session: Session, contexts: readonly number[]): string | undefined {
  const expression = `globalThis[Symbol.for(${JSON.stringify(Symbol.keyFor(KEY))})]`
  for (const contextId of contexts) {
    let found: string | undefined
    session.post('Runtime.evaluate', { expression, contextId }, (_error, answer) => {
      found = (answer as Runtime.EvaluateReturnType | undefined)?.result.objectId
    })
    if (found !== undefined) return found
  }
  return undefined
}

function findLocation(session: Session, list: string, at: number): Debugger.Location | undefined {
  let functionId: string | undefined
  const call = { objectId: list, functionDeclaration: 'function (at) { return this[at] }', arguments: [{ value: at }] }
  session.post('Runtime.callFunctionOn', call, (_error, answer) => {
    functionId = (answer as Runtime.CallFunctionOnReturnType | undefined)?.result.objectId
  })
  if (functionId === undefined) return undefined
  let location: Debugger.Location | undefined
  session.post('Runtime.getProperties', { objectId: functionId, ownProperties: true }, (_error, answer) => {
    const { internalProperties = [] } = answer
    const property = internalProperties.find(({ name }) => name === '[[FunctionLocation]]')
    location = property?.value?.value as Debugger.Location | undefined
  })
  return location
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
