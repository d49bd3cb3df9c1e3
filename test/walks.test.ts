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
}

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

  it.each([...walks])('%s: goes through no more files and interfaces than before', (title, steps) => {
    const { files, interfaces } = LIMITS[title]!
    expect(new Set(steps.map(({ path }) => path)).size).toBeLessThanOrEqual(files)
    expect(steps.filter(({ through }) => through !== undefined).length).toBeLessThanOrEqual(interfaces)
  })

  it('would be refused with a step that nobody calls, that is elsewhere, or that is called through an interface unsaid', () => {
    const [[, steps]] = [...walks] as [[string, readonly Step[]]]
    const first = steps[0]!
    const fault = (step: Partial<Step>) => findFault({ ...steps.at(-1)!, ...step }, [first])
    expect(fault({})).toEqual(['nobody before it calls sendJson (core/http/respond.ts)'])
    expect(fault({ name: 'createRouters' })).toEqual(['createRouters is not in core/http/respond.ts'])
    expect(fault({ path: 'stores/memory/index.ts', name: 'saveApplication' })).toHaveLength(1)
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
  new Visitor({
    CallExpression: ({ callee }) => void (callee.type === 'Identifier' && used.add(callee.name)),
    NewExpression: ({ callee }) => void (callee.type === 'Identifier' && used.add(callee.name)),
    MemberExpression: ({ property }) => void (property.type === 'Identifier' && used.add(property.name)),
    ObjectPattern({ properties }) {
      for (const property of properties)
        if (property.type === 'Property' && property.key.type === 'Identifier')
          used.add(property.key.name).add(`parameter ${property.key.name}`)
    },
    FunctionDeclaration: ({ id }) => void (id && defined.add(id.name)),
    FunctionExpression: ({ id }) => void (id && defined.add(id.name)),
    VariableDeclarator: ({ id }) => void (id.type === 'Identifier' && defined.add(id.name)),
    Property: ({ key }) => void (key.type === 'Identifier' && defined.add(key.name)),
    MethodDefinition: ({ key }) => void (key.type === 'Identifier' && defined.add(key.name)),
  }).visit(program)
  const imported = module.staticImports
    .map(({ moduleRequest }) => moduleRequest.value)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts'))
  const file = { used, defined, imported }
  parsed.set(path, file)
  return file
}
