import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

interface Step {
  readonly name: string
  /** Below src. */
  readonly path: string
  /** The interface through which it is called: "go to definition" ends there. */
  readonly through: string | undefined
}

interface File {
  /** The names that it calls, reads from other objects or takes as parameters. */
  readonly used: ReadonlySet<string>
  /** Functions, methods and members of objects. */
  readonly defined: ReadonlySet<string>
  readonly imported: readonly string[]
  /** For each function, what it calls, in the order in which it does. */
  readonly orders: readonly (readonly string[])[]
}

/** A function, a call or a `return`: what was called in it so far, what the functions in it will call, and what its `return`s call. */
type Scope = Record<'called' | 'later' | 'returned', string[]>

/** Files and ends at an interface: numbers that only fall. One file more than 25 says what is loaded late of `auth.applications`. */
const LIMITS: Readonly<Record<string, { readonly files: number; readonly interfaces: number }>> = {
  'A token request': { files: 16, interfaces: 1 },
  'A counted request, to its 429': { files: 18, interfaces: 1 },
  'The portal\'s "rotate key", to the stored row': { files: 26, interfaces: 5 },
}

const walks = readWalks(read('../docs/architecture.md'))

describe('the walks of docs/architecture.md', () => {
  it('are those that have limits', () => {
    expect([...walks.keys()]).toEqual(Object.keys(LIMITS))
  })

  it.each([...walks])('%s: each step is called by one before it, and is where it is said to be', (_title, steps) => {
    expect(steps.flatMap((step, at) => findFault(step, steps.slice(0, at)))).toEqual([])
  })

  it.each([...walks])('%s: has the steps that one function calls in that order', (_title, steps) => {
    expect(findDisorder(steps)).toEqual([])
  })

  it.each([...walks])('%s: goes through no more files and interfaces than before', (title, steps) => {
    const { files, interfaces } = LIMITS[title]!
    expect(new Set(steps.map(({ path }) => path)).size).toBeLessThanOrEqual(files)
    expect(steps.filter(({ through }) => through !== undefined).length).toBeLessThanOrEqual(interfaces)
  })

  it('would be refused with a step that no function calls, that is in another file, that is called through an interface without saying so, or in another order', () => {
    const [[, steps]] = [...walks] as [[string, readonly Step[]]]
    const first = steps[0]!
    const fault = (step: Partial<Step>) => findFault({ ...steps.at(-1)!, ...step }, [first])
    expect(fault({})).toEqual(['nobody before it calls sendJson (core/http/respond.ts)'])
    expect(fault({ name: 'createRouters' })).toEqual(['createRouters is not in core/http/respond.ts'])
    expect(fault({ path: 'stores/memory/index.ts', name: 'saveApplication' })).toHaveLength(1)
    expect(findDisorder(steps.toReversed())).not.toEqual([])
    expect(fault({ through: 'NoInterface' })).toEqual(['NoInterface is in no file before it'])
  })
})

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
}

function readWalks(text: string): ReadonlyMap<string, readonly Step[]> {
  const section = /\n## Three walks\n([^]*?)\n## /.exec(text)![1]!
  return new Map(
    section
      .split('\n### ')
      .slice(1)
      .map((part) => {
        const [title = '', ...lines] = part.split('\n')
        return [title, lines.flatMap(readStep)] as const
      }),
  )
}

function readStep(line: string): readonly Step[] {
  const [, name, path, through] = /^\d+\. `(\w+)`, `([\w/-]+\.ts)`(?:, through `(\w+)`)?: /.exec(line) ?? []
  if (/^\d+\./.test(line) && path === undefined) throw new Error(`This is no step: ${line}`)
  return name === undefined || path === undefined ? [] : [{ name, path, through }]
}

function findFault({ name, path, through }: Step, before: readonly Step[]): string[] {
  if (!parse(path).defined.has(name)) return [`${name} is not in ${path}`]
  if (through !== undefined && !before.some((earlier) => read(`../src/${earlier.path}`).includes(through)))
    return [`${through} is in no file before it`]
  const isReached = before.some((earlier) => {
    const caller = parse(earlier.path)
    return earlier.path === path || (caller.used.has(name) && (through !== undefined || knows(caller, path, name)))
  })
  return isReached || before.length === 0 ? [] : [`nobody before it calls ${name} (${path})`]
}

/** Steps that one function calls in another order: all calls of the later step before the first of an earlier one. */
function findDisorder(steps: readonly Step[]): string[] {
  return [...new Set(steps.map(({ path }) => path))].flatMap((of) => {
    const file = parse(of)
    const known = steps.filter(({ path, name }) => !MAKERS.test(name) && (path === of || knows(file, path, name)))
    const pairs = known.flatMap((later, at) => known.slice(0, at).map((earlier) => [earlier.name, later.name] as const))
    return pairs
      .filter(([earlier, later]) =>
        file.orders.some((called) => called.includes(later) && called.lastIndexOf(later) < called.indexOf(earlier)),
      )
      .map(([earlier, later]) => `${of} calls ${later} before ${earlier}`)
  })
}

/** What they return is called later. */
const MAKERS = /^create|^paceStarts$/

/** Whether a file imports the function, or its type from where it is made; or takes it as a parameter of that name. */
function knows({ imported, used }: File, path: string, name: string): boolean {
  const near = imported.includes(path) || imported.some((each) => parse(each).imported.includes(path))
  return near || used.has(`parameter ${name}`)
}

const parsed = new Map<string, File>()

function parse(path: string): File {
  const known = parsed.get(path)
  if (known) return known
  const { program, module } = parseSync(path, read(`../src/${path}`))
  const used = new Set<string>()
  const defined = new Set<string>()
  const orders: string[][] = []
  const scopes: Scope[] = []
  const enter = (): void => void scopes.push({ called: [], later: [], returned: [] })
  const leave = (): void => {
    const { called, returned } = scopes.pop()!
    orders.push([...called, ...returned])
    scopes.at(-1)!.later.push(...called, ...returned)
  }
  enter()
  new Visitor({
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    'FunctionDeclaration:exit': leave,
    'FunctionExpression:exit': leave,
    // What an early return calls, it calls in place of what follows.
    ReturnStatement: enter,
    'ReturnStatement:exit': () => void scopes.at(-2)!.returned.push(...scopes.pop()!.called),
    CallExpression({ callee }) {
      if (callee.type === 'Identifier') used.add(callee.name)
      enter()
    },
    'CallExpression:exit'({ callee }) {
      const { called, later } = scopes.pop()!
      const name = callee.type === 'MemberExpression' ? callee.property : callee
      scopes.at(-1)!.called.push(...called, ...(name.type === 'Identifier' ? [name.name] : []), ...later)
    },
    NewExpression: ({ callee }) => void (callee.type === 'Identifier' && used.add(callee.name)),
    MemberExpression: ({ property }) => void (property.type === 'Identifier' && used.add(property.name)),
    ObjectPattern({ properties }) {
      for (const property of properties)
        if (property.type === 'Property' && property.key.type === 'Identifier')
          used.add(property.key.name).add(`parameter ${property.key.name}`)
    },
    FunctionDeclaration({ id }) {
      if (id) defined.add(id.name)
      enter()
    },
    FunctionExpression({ id }) {
      if (id) defined.add(id.name)
      enter()
    },
    VariableDeclarator: ({ id }) => void (id.type === 'Identifier' && defined.add(id.name)),
    Property: ({ key }) => void (key.type === 'Identifier' && defined.add(key.name)),
    MethodDefinition: ({ key }) => void (key.type === 'Identifier' && defined.add(key.name)),
  }).visit(program)
  const imported = module.staticImports
    .map(({ moduleRequest }) => moduleRequest.value)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts'))
  const file = { used, defined, imported, orders }
  parsed.set(path, file)
  return file
}
