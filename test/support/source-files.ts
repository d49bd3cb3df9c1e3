import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import {
  parseSync,
  Visitor,
  type ArrowFunctionExpression,
  type BindingPattern,
  type Comment,
  type Expression,
  type Function as ParsedFunction,
  type ParamPattern,
  type Program,
  type StaticExport,
  type StaticImport,
} from 'oxc-parser'

/** A file of src as its syntax tree shows it. */
export interface SourceFile {
  /** Below src, such as `http/form.ts`. */
  readonly path: string
  readonly lines: number
  /** Those of interfaces and type aliases at the top level, with their doc comments: they are no code. */
  readonly typeLines: number
  readonly imports: readonly Import[]
  readonly functions: readonly FunctionSize[]
  /** `object.member` for each member that is read, by a dot or by destructuring; of a parameter, with the name of its type. */
  readonly memberReads: readonly string[]
  readonly hasDefaultExport: boolean
  /** `export * from '...'`. */
  readonly hasUnnamedExport: boolean
  /** `import * as name from './file.js'`. */
  readonly hasUnnamedImport: boolean
}

export interface Import {
  /** A file of src, such as `http/form.ts`; or a package, such as `jose`; or a module of Node, such as `node:fs`. */
  readonly target: string
  readonly kind: 'file' | 'package' | 'node'
  readonly typeOnly: boolean
  /** Loaded when it is needed: `import()`. */
  readonly late: boolean
}

export interface FunctionSize {
  readonly name: string
  /** Positional ones. */
  readonly parameters: number
  readonly line: number
  /** Those of its body that are no comments. */
  readonly lines: number
  /** Lines outside of the functions that it contains. */
  readonly ownLines: number
}

let sourceFiles: readonly SourceFile[] | undefined

/** Reads every TypeScript file of src, once for all tests of the process. */
export function readSourceFiles(): readonly SourceFile[] {
  return (sourceFiles ??= readFolder())
}

function readFolder(): SourceFile[] {
  const folder = fileURLToPath(new URL('../../src/', import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSourceFile(path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')))
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} can't be parsed: ${errors[0]?.message}`)
  const found: Found[] = [
    ...module.staticImports.map(describeStaticImport),
    ...module.staticExports.flatMap(describeStaticExport),
  ]
  const spans: FunctionSpan[] = []
  const memberReads: string[] = []
  const addFunction = (node: ParsedFunction | ArrowFunctionExpression, name: string): void => {
    spans.push({
      name,
      parameters: node.params.length,
      at: node.start,
      start: node.body?.start ?? node.start,
      end: node.end,
    })
    for (const parameter of node.params) memberReads.push(...listMembersOfParameter(parameter))
  }

  let hasDefaultExport = false
  let hasUnnamedExport = false
  let hasUnnamedImport = false

  new Visitor({
    ExportDefaultDeclaration: () => void (hasDefaultExport = true),
    ExportSpecifier({ exported }) {
      if ('name' in exported && exported.name === 'default') hasDefaultExport = true
    },
    ExportAllDeclaration({ exported }) {
      if (exported === null) hasUnnamedExport = true
    },
    ImportDeclaration({ source, specifiers }) {
      const takesAll = specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier')
      if (takesAll && source.value.startsWith('.')) hasUnnamedImport = true
    },
    ImportExpression: ({ source }) => void found.push({ specifier: readLiteral(source), typeOnly: false, late: true }),
    TSImportType: ({ source }) => void found.push({ specifier: readLiteral(source), typeOnly: true }),
    TSExternalModuleReference: ({ expression }) =>
      void found.push({ specifier: readLiteral(expression), typeOnly: false }),
    CallExpression({ callee, arguments: [argument] }) {
      if (callee.type === 'Identifier' && callee.name === 'require') {
        found.push({ specifier: readLiteral(argument), typeOnly: false })
      }
    },
    MemberExpression({ object, property }) {
      if (property.type === 'Identifier') memberReads.push(`${nameOf(object)}.${property.name}`)
    },
    VariableDeclarator: ({ id, init }) => void memberReads.push(...listMembers(id, nameOf(init))),
    FunctionDeclaration: (node) => addFunction(node, node.id?.name ?? 'a function'),
    FunctionExpression: (node) => addFunction(node, node.id?.name ?? 'a method'),
    ArrowFunctionExpression: (node) => addFunction(node, 'an arrow function'),
  }).visit(program)

  return {
    path,
    lines: text.trimEnd().split('\n').length,
    typeLines: countTypeLines(text, program.body, comments),
    imports: found.flatMap(({ specifier, typeOnly, late = false }) =>
      specifier === undefined ? [] : [{ ...resolveImport(path, specifier), typeOnly, late }],
    ),
    functions: measureFunctions(text, spans),
    memberReads,
    hasDefaultExport,
    hasUnnamedExport,
    hasUnnamedImport,
  }
}

/** The last name of an expression: `settings` for `foundation.settings`. */
function nameOf(expression: Expression | null): string {
  if (expression?.type === 'Identifier') return expression.name
  return expression?.type === 'MemberExpression' && expression.property.type === 'Identifier'
    ? expression.property.name
    : ''
}

/** The members that a pattern takes out of an object, those of nested patterns by the name of their member. */
function listMembers(pattern: BindingPattern, object: string): string[] {
  if (pattern.type === 'AssignmentPattern') return listMembers(pattern.left, object)
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') return []
    const { name } = property.key
    return [`${object}.${name}`, ...listMembers(property.value, name)]
  })
}

function listMembersOfParameter(parameter: ParamPattern): string[] {
  if (parameter.type === 'TSParameterProperty' || parameter.type === 'RestElement') return []
  const annotation = parameter.typeAnnotation?.typeAnnotation
  const type = annotation?.type === 'TSTypeReference' ? annotation.typeName : undefined
  return listMembers(parameter, type?.type === 'Identifier' ? type.name : '')
}

interface Found {
  /** Undefined where the module is computed at run time. */
  readonly specifier: string | undefined
  readonly typeOnly: boolean
  readonly late?: boolean
}

function describeStaticImport({ moduleRequest, entries }: StaticImport): Found {
  return { specifier: moduleRequest.value, typeOnly: entries.length > 0 && entries.every(({ isType }) => isType) }
}

function describeStaticExport({ entries }: StaticExport): Found[] {
  const [first] = entries
  if (!first?.moduleRequest) return []
  return [{ specifier: first.moduleRequest.value, typeOnly: entries.every(({ isType }) => isType) }]
}

function readLiteral(node: object | undefined): string | undefined {
  const { value } = (node ?? {}) as { value?: unknown }
  return typeof value === 'string' ? value : undefined
}

function resolveImport(path: string, specifier: string): Omit<Import, 'typeOnly' | 'late'> {
  if (specifier.startsWith('.')) {
    return { kind: 'file', target: normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts') }
  }
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return { kind: 'node', target: specifier }
  const [first = '', second = ''] = specifier.split('/')
  return { kind: 'package', target: first.startsWith('@') ? `${first}/${second}` : first }
}

function countTypeLines(text: string, body: Program['body'], comments: readonly Comment[]): number {
  const lineAt = createLineCounter(text)
  return body.reduce((sum, statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type !== 'TSInterfaceDeclaration' && declared?.type !== 'TSTypeAliasDeclaration') return sum
    const comment = comments.findLast(({ end }) => end < statement.start && !text.slice(end, statement.start).trim())
    return sum + lineAt(statement.end) - lineAt((comment ?? statement).start) + 1
  }, 0)
}

/** The body of a function: the types of its parameters are no code. */
interface FunctionSpan {
  readonly name: string
  readonly parameters: number
  /** The offset of the function. */
  readonly at: number
  readonly start: number
  readonly end: number
}

function measureFunctions(text: string, spans: readonly FunctionSpan[]): FunctionSize[] {
  const lineAt = createLineCounter(text)
  const isComment = text.split('\n').map((line) => /^\s*(?:\/\/|\/\*|\*)/.test(line))
  const listLines = ({ start, end }: FunctionSpan): number[] => {
    const lines: number[] = []
    for (let line = lineAt(start); line <= lineAt(end); line++) if (!isComment[line - 1]) lines.push(line)
    return lines
  }
  return spans.map((span) => {
    const inner = spans.filter((each) => each !== span && each.start >= span.start && each.end <= span.end)
    const covered = new Set(inner.flatMap(listLines))
    const lines = listLines(span)
    const ownLines = lines.filter((line) => !covered.has(line)).length
    return { name: span.name, parameters: span.parameters, line: lineAt(span.at), lines: lines.length, ownLines }
  })
}

/** Returns the line of an offset. To count from the start of the text each time would take longer than to parse it. */
function createLineCounter(text: string): (offset: number) => number {
  const lines = new Uint32Array(text.length + 1)
  let line = 1
  for (let offset = 0; offset <= text.length; offset++) {
    lines[offset] = line
    if (text[offset] === '\n') line++
  }
  return (offset) => lines[offset] ?? line
}
