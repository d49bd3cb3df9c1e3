import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type Expression, type ObjectExpression, type TemplateLiteral } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { toSentence } from '../src/shared/contracts/errors.js'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Names of what may be a sentence already, because it is made elsewhere. */
const MAY_BE_SENTENCE = /(?:problem|reason|message|fix|finding|cause)$|^describe(?!Kind|Value|Credential)/i

/** A text of the source, such as a problem or its fix; a part that is computed is `${...}`. */
interface Text {
  readonly file: string
  readonly text: string
}

const [problems, fixes, beforeFullStops]: [Text[], Text[], Text[]] = [[], [], []]
for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) if (file.endsWith('.ts')) readTexts(file)

describe('messages have one full stop after each sentence:', () => {
  it('toSentence() adds one only where none is', () => {
    const texts = ['It is full', 'It is full.', 'Is it full?', 'It is full. ', '']
    expect(texts.map(toSentence)).toEqual(['It is full.', 'It is full.', 'Is it full?', 'It is full.', ''])
  })

  it('no problem that is joined with its fix ends with one', () => {
    expect(problems.length).toBeGreaterThan(100)
    expect(problems.filter(({ text }) => /[.:\s]$/.test(text))).toEqual([])
  })

  it('every fix ends with one, or with a command or code', () => {
    expect(fixes.length).toBeGreaterThan(100)
    expect(fixes.filter(({ text }) => text.endsWith('..') || !/[.?}]$|: (?:npx|GRANT) /.test(text))).toEqual([])
  })

  it('no text that may be a sentence already is followed by one, but by toSentence()', () => {
    expect(beforeFullStops).toEqual([])
  })
})

function readTexts(file: string): void {
  const { program } = parseSync(file, readFileSync(join(SRC, file), 'utf8'))
  new Visitor({
    ObjectExpression(node) {
      const [problem, fix] = ['problem', 'fix'].map((name) => findMember(node, name))
      if (!problem || !fix) return
      problems.push(...listTexts(problem).map((text) => ({ file, text })))
      fixes.push(...listTexts(fix).map((text) => ({ file, text })))
    },
    // invalidOption(option, value, fix)
    CallExpression({ callee, arguments: [, , fix] }) {
      if (nameOf(callee) === 'invalidOption' && fix && fix.type !== 'SpreadElement')
        fixes.push(...listTexts(fix).map((text) => ({ file, text })))
    },
    TemplateLiteral(node) {
      for (const text of listBeforeFullStops(node)) beforeFullStops.push({ file, text })
    },
  }).visit(program)
}

function findMember({ properties }: ObjectExpression, name: string): Expression | undefined {
  for (const property of properties)
    if (property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === name)
      return property.value
  return undefined
}

/** The texts that an expression may be; none if it is computed. */
function listTexts(expression: Expression): string[] {
  if (expression.type === 'Literal') return typeof expression.value === 'string' ? [expression.value] : []
  if (expression.type === 'TemplateLiteral')
    return [expression.quasis.map(({ value }) => value.cooked ?? '').join('${...}')]
  if (expression.type === 'ConditionalExpression')
    return [expression.consequent, expression.alternate].flatMap(listTexts)
  return []
}

function listBeforeFullStops({ expressions, quasis }: TemplateLiteral): string[] {
  return expressions
    .filter((_, at) => /^\.(?:\s|$)/.test(quasis[at + 1]!.value.raw))
    .map(nameOf)
    .filter((name) => MAY_BE_SENTENCE.test(name))
}

function nameOf(expression: Expression): string {
  if (expression.type === 'Identifier') return expression.name
  if (expression.type === 'CallExpression') return nameOf(expression.callee)
  return expression.type === 'MemberExpression' && expression.property.type === 'Identifier'
    ? expression.property.name
    : ''
}
