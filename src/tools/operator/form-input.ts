import { readField } from '../../core/http/form.js'
import { ApplicationError, type ConfigurationError } from '../../index.js'
import type { Problem } from '../../shared/web/form-field.js'
import { fillHtml, markEnglish } from '../../shared/web/html.js'
import { findField, HERE, listAsked, MAX_AREA, type Field, type FormSubject } from './fields.js'
import type { Visit } from './visit.js'

export class FieldProblem extends ApplicationError {
  readonly field: string
  constructor(field: string, problem: string) {
    super('invalid_argument', problem)
    this.field = field
  }
}

/** A refusal in words for operators: of the field that it is about, by its label. What is wrong is known in English only. */
export function describeRefusal(error: ApplicationError | ConfigurationError, subject: FormSubject): Problem {
  const { texts } = subject.visit
  const [, path = '', rest = error.message] = /^([\w.-]+):? (.*)$/s.exec(error.message) ?? []
  const members = path.split('.').flatMap((member) => [member, MEMBERS[member] ?? member])
  const asked = listAsked(subject)
  const own = error instanceof FieldProblem ? error.field : members.findLast((member) => asked.includes(member))
  const field = own ?? findMentioned(error, asked, subject)
  const says = own === undefined || error instanceof FieldProblem ? error.message : `It ${rest}`
  const labels = texts.labels as Readonly<Record<string, string>>
  const problem = dropCode(says).replaceAll(/\bjwks(?:Uri)?\b/g, (id) => `“${labels[id]}”`)
  const told =
    problem === '' || error instanceof FieldProblem ? problem || texts.refused : markEnglish(problem, subject.visit)
  if (field === undefined) return { text: told }
  return { text: fillHtml(texts.refusedField, { field: labels[field]!, problem: told }), field }
}

const MEMBERS: Readonly<Record<string, string>> = { rateLimits: 'limit', contact: 'address' }

/** The field of which a message speaks further on, or whose choice its code is about. */
function findMentioned(
  { message, code }: ApplicationError | ConfigurationError,
  asked: readonly string[],
  subject: FormSubject,
): string | undefined {
  const isOfApis = code === 'unknown_api' || code === 'unknown_scope' || code === 'not_granted'
  const words = message.split(/\W+/)
  return asked.find((id) => (isOfApis ? findField(id, subject).control === 'boxes' : words.includes(id)))
}

/** Without what is for programmers: the calls that would help, and the value that stands for none. */
function dropCode(message: string): string {
  const sentences = message.split(/(?<=[.?!]) +/)
  return sentences
    .map((sentence) => sentence.replace(/(?:^|[,:;])[^,:;]*(?:\w\(\)|\bnull\b).*$/s, '.'))
    .filter((sentence) => sentence !== '.')
    .join(' ')
}

/** The input of an operation, as JSON has it. Empty fields take away what may be taken away, and are left out otherwise. */
export function readInput(subject: FormSubject): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const name of listAsked(subject)) {
    const field = findField(name, subject)
    // What a contact chose must not become what an operator demands.
    const readLines = (): string => readField(subject.visit.fields, name).trim().split(/\s+/).join()
    if (BOUNDS.includes(name) && readLines() === [field.value ?? []].flat().join()) continue
    const value = readValue(name, field, subject.visit)
    if (value !== undefined) input[name] = value
    else if (field.isNullable) input[name] = null
  }
  return input
}

const BOUNDS = ['networks', 'expiresAt']

function readValue(
  name: string,
  { control, choices = [], isRequired = false }: Field,
  { fields, texts }: Visit,
): unknown {
  if (control === 'boxes') {
    const ticked = fields.get(name) ?? []
    // Else an approval could give more than was asked for.
    if (ticked.some((each) => !choices.some(([value]) => value === each)))
      throw new FieldProblem(name, texts.unknownChoice)
    if (isRequired && choices.length > 0 && ticked.length === 0) throw new FieldProblem(name, texts.unknownChoice)
    return readBoxes(name, ticked, isRequired)
  }
  const text = readField(fields, name)
  if (control === 'flag') return text === 'on' ? true : undefined
  if (text === '' && isRequired) throw new FieldProblem(name, texts.missing)
  if (text === '' || text === HERE) return undefined
  // What precedes the call that would refuse it is then not done.
  if (control === 'area' && (text.length > MAX_AREA || /[^\P{Cc}\s]/u.test(text)))
    throw new FieldProblem(name, texts.tooLong)
  if (control === 'select' && !choices.some(([value]) => value === text))
    throw new FieldProblem(name, texts.unknownChoice)
  if (control === 'date') return `${text}T00:00:00.000Z`
  if (control === 'number' || name === 'overlap') return Number(text)
  if (control === 'lines') return text.split(/\s+/)
  if (control !== 'json') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new FieldProblem(name, texts.noJson)
  }
}

/** Scopes of one API, or what was ticked of several APIs; undefined if these are none. */
function readBoxes(name: string, ticked: readonly string[], isRequired: boolean): unknown {
  if (name === 'scopes') return ticked
  if (ticked.length === 0 && !isRequired) return undefined
  if (name === 'resourceServer') return ticked
  const grants = new Map<string, { scopes: string[] }>()
  for (const value of ticked) {
    const [api = '', scope] = value.split(' ')
    const grant = grants.get(api) ?? { scopes: [] }
    if (scope !== undefined) grant.scopes.push(scope)
    grants.set(api, grant)
  }
  return Object.fromEntries(grants)
}
