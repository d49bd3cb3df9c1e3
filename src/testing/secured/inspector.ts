import { Session, type Runtime } from 'node:inspector'

/**
 * Calls `use` with a session of V8's inspector and the ids that it has for functions. Only the inspector tells where a function
 * is defined and which variables it sees. Undefined if the engine does not say.
 */
export function inspectFunctions<Result>(
  functions: readonly unknown[],
  use: (session: Session, ids: readonly (string | undefined)[]) => Result,
): Result | undefined {
  const session = new Session()
  try {
    session.connect()
    const contexts: number[] = []
    session.on('Runtime.executionContextCreated', ({ params }) => void contexts.push(params.context.id))
    session.post('Runtime.enable')
    Reflect.set(globalThis, KEY, functions)
    const list = findList(session, contexts)
    if (list === undefined) return undefined
    const ids = functions.map((_, value) => callOn(session, list, READ_MEMBER, { arguments: [{ value }] })?.objectId)
    return use(session, ids)
  } catch {
    return undefined
  } finally {
    Reflect.deleteProperty(globalThis, KEY)
    session.disconnect()
  }
}

const READ_MEMBER = 'function (at) { return this[at] }'
const KEY = Symbol.for('express-platform-auth.functions')

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

/** Calls a function, written as source, with an object as `this`. Undefined if the engine does not answer. */
export function callOn(
  session: Session,
  objectId: string,
  functionDeclaration: string,
  options: Partial<Runtime.CallFunctionOnParameterType> = {},
): Runtime.RemoteObject | undefined {
  let result: Runtime.RemoteObject | undefined
  session.post('Runtime.callFunctionOn', { objectId, functionDeclaration, ...options }, (error, answer) => {
    if (!error) ({ result } = answer)
  })
  return result
}

/** The properties of an object, and its internal ones. */
export function readProperties(session: Session, objectId: string): Runtime.GetPropertiesReturnType {
  let properties: Runtime.GetPropertiesReturnType = { result: [] }
  session.post('Runtime.getProperties', { objectId, ownProperties: true }, (error, answer) => {
    if (!error) properties = answer
  })
  return properties
}

/** Whether the source of a function calls a variable. */
export function callsVariable(source: string, name: string): boolean {
  if (!/^[\w$]+$/.test(name)) return false
  const escaped = name.replaceAll('$', String.raw`\$`)
  return new RegExp(String.raw`(?<![\w$.])${escaped}\s*(?:\?\.)?(?:\(|\.(?:call|apply)\b)`).test(source)
}
