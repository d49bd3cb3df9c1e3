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
    return list === undefined
      ? undefined
      : use(
          session,
          functions.map((_, at) => findMember(session, list, at)),
        )
  } catch {
    return undefined
  } finally {
    Reflect.deleteProperty(globalThis, KEY)
    session.disconnect()
  }
}

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

function findMember(session: Session, list: string, at: number): string | undefined {
  let functionId: string | undefined
  const call = { objectId: list, functionDeclaration: 'function (at) { return this[at] }', arguments: [{ value: at }] }
  session.post('Runtime.callFunctionOn', call, (_error, answer) => {
    functionId = (answer as Runtime.CallFunctionOnReturnType | undefined)?.result.objectId
  })
  return functionId
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
