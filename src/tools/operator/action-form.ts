import { readField } from '../../core/http/form.js'
import { ApplicationError, type Application, type ConfigurationError } from '../../index.js'
import { LANGUAGE_NAMES } from '../../shared/contracts/application-record.js'
import { hidePrivateKey } from '../../shared/lib/key-set-text.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import {
  describeField,
  renderField,
  renderFieldProblem,
  renderSelect,
  renderTextarea,
  type Problem,
} from '../../shared/web/form-field.js'
import { fillHtml, html, markEnglish, type Html } from '../../shared/web/html.js'
import { describeMember, type MemberDescription } from '../operations/operation.js'
import { limit } from '../operations/schemas.js'
import type { Action, Named } from './actions.js'
import { renderChip } from '../../shared/web/parts.js'
import { listGrantable, OPERATIONS_BY_NAME, type Visit } from './visit.js'

export interface FormSubject {
  readonly visit: Visit
  readonly action: Action
  readonly application: Application | undefined
  readonly named: Named
}

type Choices = readonly (readonly [
  value: string,
  label: string,
  api?: string | undefined,
  meaning?: string | undefined,
])[]

/** A member of the operation's input. Its kind is that of the schema, unless FIELDS has another one. */
interface Field {
  readonly id: string
  readonly kind: MemberDescription['kind'] | 'email' | 'url' | 'area'
  readonly value?: string | readonly string[] | undefined
  readonly choices?: Choices
  readonly isRequired?: boolean
  /** That of its member if left out. */
  readonly label?: Html | string
  /** Whether the operation takes away what is left empty. */
  readonly isNullable?: boolean
}

/** The properties of a field that the operation's schema does not have. */
const FIELDS: Readonly<Record<string, (subject: FormSubject) => Partial<Field>>> = {
  name: () => ({ isRequired: true }),
  contact: ({ action }) => ({ kind: 'email', isRequired: action.operation !== 'applications.create' }),
  apis: ({ visit, action, application }) => {
    const choices = listGrants(visit, application?.apis)
    const isApproval = action.operation === 'applications.approve'
    // A credential without a choice is for all of them.
    const isRequired = isApproval || application === undefined
    return { kind: 'grants', choices, isRequired, value: isApproval ? choices.map(([value]) => value) : [] }
  },
  scopes: ({ visit, application, action, named: { api: name = '' } }) => {
    const request = application!.accessRequests.find(({ api }) => api === name)
    const held = Object.hasOwn(application!.apis, name) ? application!.apis[name]!.scopes : undefined
    const meanings = visit.auth.apis.find((api) => api.name === name)?.scopes ?? {}
    const all = Object.keys(meanings)
    const value = request ? [...(held ?? []), ...request.scopes] : (held ?? all)
    const choices = (request ? value : all).map((scope) => [scope, scope, undefined, meanings[scope]] as const)
    return { kind: 'grants', choices, value, isRequired: action.operation === 'applications.approve' }
  },
  language: () => ({ choices: LANGUAGES }),
  plan: ({ visit }) => ({ kind: 'choice', choices: listChoices(visit.planNames) }),
  reason: () => ({ kind: 'area' }),
  note: () => ({ kind: 'area' }),
  resourceServer: ({ visit }) => ({
    kind: 'grants',
    choices: visit.auth.apis.map(({ name, title }) => [name, title]),
  }),
  overlap: ({ visit: { texts } }) => ({
    kind: 'choice',
    choices: Object.entries(texts.overlaps),
    value: '86400',
    isRequired: true,
  }),
  deliver: ({ visit: { texts }, application }) => ({
    kind: 'choice',
    ...(!application && { label: texts.credentials }),
    choices: Object.entries({ [HERE]: texts.shownHere, email: texts.byEmail }),
    isRequired: true,
  }),
  address: () => ({ kind: 'email', isRequired: true }),
  jwksUri: () => ({ kind: 'url' }),
  confirm: ({ visit: { texts }, application }) => ({
    isRequired: true,
    label: fillHtml(texts.confirm, { name: html`<strong>${application!.name}</strong>` }),
  }),
}

/** Not empty: a browser sends no form in which a required choice is. */
const HERE = 'here'
const MAX_AREA = 500
export const LANGUAGES: Choices = Object.entries(LANGUAGE_NAMES)

export function listChoices(values: readonly string[]): Choices {
  return values.map((value) => [value, value])
}

/** What may be ticked of APIs: each scope, or the API where it has none. */
function listGrants(visit: Visit, granted: Application['apis'] | undefined): Choices {
  return listGrantable(visit)
    .filter(({ name }) => !granted || Object.hasOwn(granted, name))
    .flatMap(({ name, title, scopes }): Choices => {
      const listed = granted?.[name]?.scopes ?? Object.keys(scopes)
      if (listed.length === 0) return [[name, title]]
      return listed.map((scope) => [`${name} ${scope}`, scope, title, scopes[scope]])
    })
}

export function listFields(subject: FormSubject): readonly Field[] {
  const { visit, action } = subject
  const { shape } = OPERATIONS_BY_NAME.get(action.operation)!.input
  const schemas = ownMembers<typeof shape>({ ...limit.shape, ...shape })
  const current = ownMembers<Readonly<Record<string, unknown>>>({ ...findCurrent(subject) })
  // The right to set plans is needed for the plan of an approval; the right to register, for the delivery by e-mail.
  const maySet = visit.may('plans.set')
  const mayMail = subject.application !== undefined || visit.may('registration.register')
  const asked = action.asks.filter((id) => (id !== 'plan' || maySet) && (id !== 'deliver' || mayMail))
  return asked.map((id) => {
    const { kind = 'text', isNullable = false } = schemas[id] ? describeMember(schemas[id]) : {}
    return { id, kind, isNullable, value: formatValue(current[id]), ...ownMembers(FIELDS)[id]?.(subject) }
  })
}

/** The limit, the credential or the application that a form changes: its members are what the fields begin with. */
function findCurrent({ action, application, named: { api, credential } }: FormSubject): object | undefined {
  if (!application || action.place === 'credentials') return undefined
  if (api !== undefined && action.place === 'api') return ownMembers(application.rateLimits)[api] ?? { window: 60 }
  if (action.operation !== 'applications.updateCredential') return application
  return [...application.keys, ...application.secrets].find(({ id }) => id === credential)
}

function formatValue(value: unknown): Field['value'] {
  if (value === undefined) return undefined
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (Array.isArray(value)) return value as string[]
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

/** Kinds whose labels say that they may be left empty. */
const MARKED: readonly Field['kind'][] = ['text', 'email', 'time', 'area', 'list']

/** The fields with what they begin with; with what was entered if that was refused. */
export function renderFields(
  fields: readonly Field[],
  { texts, fields: entered }: Visit,
  problem: Problem | undefined,
): Html {
  return html`${fields.map((field) => {
    const { id, kind, isRequired = false } = field
    const hint = ownMembers<Readonly<Record<string, string>>>(texts.hints)[id]
    const values = problem ? (entered.get(id) ?? []) : [field.value ?? []].flat()
    const name = texts.labels[id as keyof typeof texts.labels]
    if (kind === 'grants') return renderBoxes(field, name, values, problem)
    const value = id === 'jwks' ? hidePrivateKey(values.join('\n')) : values.join('\n')
    const isMarked = !isRequired && MARKED.includes(kind)
    const label = isMarked ? html`${name} <span class="soft">${texts.optional}</span>` : (field.label ?? name)
    const unset = id === 'language' ? `${texts.unset} (${LANGUAGE_NAMES.en})` : texts.unset
    const render = (attributes: Html): Html => renderControl(attributes, field, value, unset)
    return renderField({ id, label, hint, problem, isChoice: kind === 'flag', render })
  })}`
}

function renderBoxes(
  { id, choices = [] }: Field,
  name: string,
  values: readonly string[],
  problem: Problem | undefined,
): Html | false {
  const boxes = choices.map(([value, label, api, meaning], at) => {
    // A meaning is left out that the name of the scope ends with, such as “Read”.
    const isSaid = meaning !== undefined && label.endsWith(meaning.toLowerCase())
    const more = !isSaid && html`<span class="soft">${meaning}</span>`
    const text = meaning === undefined ? label : html`${renderChip(label)} ${more}`
    const focus = at === 0 && problem?.field === id && html` autofocus`
    const state = html`${values.includes(value) && html` checked`}${describeField(id, problem)}${focus}`
    const box = html`<label class="choice"
      ><input type="checkbox" name="${id}" value="${value}" ${state} /><span>${text}</span></label
    > `
    return { api, box }
  })
  const apis = [...new Set(boxes.map(({ api }) => api))]
  return (
    choices.length > 0 &&
    html`<fieldset id="${id}">
      <legend>${name}</legend>
      ${renderFieldProblem(id, problem)}
      ${apis.map(
        (api) =>
          html`<fieldset class="choices">
            ${api !== undefined && html`<legend>${api}</legend>`} ${boxes.map((each) => each.api === api && each.box)}
          </fieldset>`,
      )}
    </fieldset>`
  )
}

function renderControl(attributes: Html, field: Field, value: string, unset: string): Html {
  const { kind, choices = [], isRequired = false } = field
  const required = isRequired && html` required`
  if (kind === 'flag')
    return html`<input type="checkbox" ${attributes} value="on" ${value === 'on' && html` checked`} />`
  if (kind === 'choice')
    return renderSelect(html`${attributes}${required}`, isRequired ? choices : [['', unset], ...choices], value)
  if (kind === 'list' || kind === 'json' || kind === 'area') {
    const most = kind === 'area' ? MAX_AREA : 8000
    const bounds = html`maxlength="${most}" spellcheck="${kind === 'area' ? 'true' : 'false'}"`
    return renderTextarea(html`rows="3" ${attributes} ${bounds}${required}`, value)
  }
  const type = kind === 'time' ? 'date' : kind
  return html`<input type="${type}" ${attributes} value="${value}" maxlength="500" autocomplete="off" ${required} />`
}

export class FieldProblem extends ApplicationError {
  readonly field: string
  constructor(field: string, problem: string) {
    super('invalid_argument', problem)
    this.field = field
  }
}

/** The input of an operation, as JSON has it. Empty fields take away what may be taken away, and are left out otherwise. */
export function readInput(fields: readonly Field[], visit: Visit): Readonly<Record<string, unknown>> {
  const read = fields.flatMap((field) => {
    const { id, isNullable = false } = field
    // A bound that the form showed and nobody changed is left out: sent by an operator, a contact's choice would become terms that contacts cannot widen.
    const shown = [field.value ?? []].flat().join()
    if (BOUNDS.includes(id) && readField(visit.fields, id).split(/\s+/).join() === shown) return []
    const value = readValue(field, visit) ?? (isNullable ? null : undefined)
    return value === undefined ? [] : [[id, value] as const]
  })
  return Object.fromEntries(read)
}

const BOUNDS = ['networks', 'expiresAt']

function readValue({ id, kind, choices = [], isRequired = false }: Field, { fields, texts }: Visit): unknown {
  const isGrants = kind === 'grants'
  const entered = isGrants ? (fields.get(id) ?? []) : [readField(fields, id)].filter(Boolean)
  const isChosen = isGrants || kind === 'choice'
  const isMissing = entered.length === 0 && isRequired && !(isGrants && choices.length === 0)
  // Else an approval could give more than was asked for.
  if (isChosen && !entered.every((each) => choices.some(([value]) => value === each)))
    throw new FieldProblem(id, texts.unknownChoice)
  if (isMissing) throw new FieldProblem(id, isGrants ? texts.unknownChoice : texts.missing)
  if (isGrants) return readGrants(id, entered, isRequired)
  const [text] = entered
  if (kind === 'flag') return text === 'on' ? true : undefined
  if (text === undefined || (id === 'deliver' && text === HERE)) return undefined
  // Refused here: an action may make other calls before the one that would refuse it, and these would be done.
  if (kind === 'area' && (text.length > MAX_AREA || /[^\P{Cc}\s]/u.test(text)))
    throw new FieldProblem(id, texts.tooLong)
  if (kind === 'time') return `${text}T00:00:00.000Z`
  if (kind === 'number' || id === 'overlap') return Number(text)
  if (kind === 'list') return text.split(/\s+/)
  if (kind !== 'json') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new FieldProblem(id, texts.noJson)
  }
}

/** Scopes of one API, or what was ticked of several APIs; undefined if these are none. */
function readGrants(id: string, ticked: readonly string[], isRequired: boolean): unknown {
  if (id === 'scopes') return ticked
  if (ticked.length === 0 && !isRequired) return undefined
  if (id === 'resourceServer') return ticked
  const pairs = ticked.map((value) => value.split(' ') as [api: string, scope?: string])
  const listScopes = (of: string) => pairs.flatMap(([api, scope]) => (api === of ? (scope ?? []) : []))
  return Object.fromEntries(pairs.map(([api]) => [api, { scopes: listScopes(api) }]))
}

/** A refusal in words for operators: of the field that it is about, by its label. What is wrong is known in English only. */
export function describeRefusal(
  error: ApplicationError | ConfigurationError,
  fields: readonly Field[],
  visit: Visit,
): Problem {
  const { texts } = visit
  const labels: Readonly<Record<string, string>> = texts.labels
  const isOfferedForm = error instanceof FieldProblem
  const [, path = '', rest = ''] = /^([\w.-]+):? (.*)$/s.exec(error.message) ?? []
  const members = path.split('.').flatMap((member) => [member, MEMBERS[member] ?? member])
  const own = isOfferedForm ? error.field : members.findLast((member) => fields.some(({ id }) => id === member))
  const field = own ?? findMentioned(error, fields)
  const says = own === undefined || isOfferedForm ? error.message : `It ${rest}`
  const problem = dropCode(says).replaceAll(/\bjwks(?:Uri)?\b/g, (id) => `“${labels[id]}”`)
  const reason = problem === '' || isOfferedForm ? problem || texts.refused : markEnglish(problem, visit)
  if (field === undefined) return { text: reason }
  return { text: fillHtml(texts.refusedField, { field: labels[field]!, problem: reason }), field }
}

const MEMBERS: Readonly<Record<string, string>> = { rateLimits: 'limit', contact: 'address' }

/** The field of which a message speaks further on, or whose choice its code is about. */
function findMentioned({ message, code }: ApplicationError | ConfigurationError, fields: readonly Field[]) {
  const isOfferedApis = code === 'unknown_api' || code === 'unknown_scope' || code === 'not_granted'
  const words = message.split(/\W+/)
  return fields.find(({ id, kind }) => (isOfferedApis ? kind === 'grants' : words.includes(id)))?.id
}

/** Without what is for programmers: the calls that would help, and the value that stands for none. */
function dropCode(message: string): string {
  const sentences = message.split(/(?<=[.?!]) +/)
  return sentences
    .map((sentence) => sentence.replace(/(?:^|[,:;])[^,:;]*(?:\w\(\)|\bnull\b).*$/s, '.'))
    .filter((sentence) => sentence !== '.')
    .join(' ')
}
