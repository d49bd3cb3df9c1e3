import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type TSSignature } from 'oxc-parser'
import { expect, it } from 'vitest'
import { documentationPages, ROOT } from '../../docs/pages.js'

/** The types of options, by the name before a dot or a parenthesis; those of the platform have no name. */
const ROOTS: Readonly<Record<string, string>> = {
  createPlatformAuth: 'PlatformAuthOptions',
  emails: 'EmailsOptions',
  imports: 'ImportsOptions',
  plans: 'PlansOptions',
  portal: 'PortalOptions',
  registration: 'RegistrationOptions',
  usage: 'UsageOptions',
}

interface Members {
  readonly own: Map<string, Set<string>>
  /** Types whose members it has too. */
  readonly others: Set<string>
}

const texts = [
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: `src/${path}`, text: readFileSync(join(ROOT, 'src', path), 'utf8') })),
  ...documentationPages(),
]
const types = readTypes()
/** What a published file exports as options, which internal calls have too. */
const published = new Set(
  texts
    .filter(({ path }) => /(?:^|\/)index\.ts$/.test(path))
    .flatMap(({ text }) => text.match(/^export [^;(]*?\{[^}]*\}/gm) ?? [])
    .flatMap((list) => list.match(/\w+Options\b/g) ?? []),
)

it('every option that a message, a comment or a page names exists', () => {
  const named = texts.flatMap(({ path, text }) => listNamed(text).map((name) => ({ path, name })))
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter(({ name }) => !exists(name)).map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

it.each(['importedCredentials', 'signing.algorithm', 'tokens.lifetimes', 'imports.hmacKeys'])(
  'no option is called %s',
  (name) => expect(exists(name)).toBe(false),
)

/** `the option x`, `tokens.lifetime`, and `imports({ hmacKey })`. */
function listNamed(text: string): readonly string[] {
  const core = [...members('PlatformAuthOptions').keys()]
    .filter((name) => name !== 'apis' && name !== 'store')
    .join('|')
  // The members of what plans() is given first are names of plans.
  const features = Object.keys(ROOTS)
    .filter((name) => name !== 'plans')
    .join('|')
  return [
    ...[
      ...text.matchAll(/\b(?:the platform's|the option) ["`']?([a-z]\w*(?:\.\w+)*)(?:["`']|(?<=[A-Z]\w*)(?= ))/g),
    ].map(([, name = '']) => name),
    ...[...text.matchAll(new RegExp(`["'\`]((?:${core})(?!\\.client)(?:\\.[a-z]\\w+)+)["'\`]`, 'g'))].map(
      ([, name = '']) => name,
    ),
    ...[...text.matchAll(new RegExp(`(?<![.\\w])(${features})\\(\\{ (\\w+)`, 'g'))].map(
      ([, root, name]) => `${root}.${name}`,
    ),
  ]
}

/** An option of the platform, or of a feature, of a guard or of another call if it is one word. */
function exists(path: string): boolean {
  const [first = '', ...steps] = path.split('.')
  if (steps.length === 0) return [...published].some((name) => members(name).has(first))
  if (first === 'apis') return has(['OAuth2ApiOptions', 'ApiKeyApiOptions'], steps.slice(1))
  const start = ROOTS[first] ? [ROOTS[first]] : [...(members('PlatformAuthOptions').get(first) ?? [])]
  return has(start, steps)
}

function has(names: readonly string[], [step, ...steps]: readonly string[]): boolean {
  if (step === undefined) return true
  return names.some((name) => {
    const found = members(name).get(step)
    return found !== undefined && has([...found], steps)
  })
}

/** The members of a type, and the types of each. */
function members(name: string, seen = new Set<string>()): Map<string, Set<string>> {
  if (seen.has(name)) return new Map()
  seen.add(name)
  const { own = new Map<string, Set<string>>(), others = [] } = types.get(name) ?? {}
  return new Map([...[...others].flatMap((other) => [...members(other, seen)]), ...own])
}

/** Every interface and type of src. The type of a member that is written in place is called after it. */
function readTypes(): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>()
  for (const { path, text } of texts.filter((each) => each.path.endsWith('.ts'))) {
    const add = (name: string, body: readonly TSSignature[], others: readonly string[]): void => {
      const type = found.get(name) ?? { own: new Map(), others: new Set() }
      found.set(name, type)
      for (const other of others) type.others.add(other)
      for (const member of body) {
        if (
          (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') ||
          member.key.type !== 'Identifier'
        )
          continue
        const inPlace = `${name}.${member.key.name}`
        type.own.set(member.key.name, new Set([inPlace, ...(type.own.get(member.key.name) ?? [])]))
        if (member.type !== 'TSPropertySignature' || !member.typeAnnotation) continue
        const { start, end } = member.typeAnnotation.typeAnnotation
        addText(inPlace, `type X = ${text.slice(start, end)}`)
      }
    }
    const addText = (name: string, code: string): void => {
      const names: string[] = []
      const bodies: TSSignature[] = []
      new Visitor({
        TSTypeReference: ({ typeName }) => void (typeName.type === 'Identifier' && names.push(typeName.name)),
        TSTypeLiteral: ({ members: body }) => void bodies.push(...body),
      }).visit(parseSync('type.ts', code).program)
      const literal = bodies.flatMap((member) =>
        member.type === 'TSPropertySignature' && member.key.type === 'Identifier' ? [member.key.name] : [],
      )
      const type = found.get(name) ?? { own: new Map<string, Set<string>>(), others: new Set<string>() }
      found.set(name, type)
      for (const each of names) type.others.add(each)
      for (const each of literal) type.own.set(each, new Set())
    }
    new Visitor({
      TSInterfaceDeclaration: ({ id, body, extends: parents }) =>
        add(
          id.name,
          body.body,
          parents.flatMap(({ expression }) => (expression.type === 'Identifier' ? [expression.name] : [])),
        ),
      TSTypeAliasDeclaration: ({ id, typeAnnotation: { start, end } }) =>
        addText(id.name, `type X = ${text.slice(start, end)}`),
    }).visit(parseSync(path, text).program)
  }
  return found
}
