import type { FormFields } from '../../core/http/form.js'
import type { Application } from '../../index.js'
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
import { html, type Html } from '../../shared/web/html.js'
import { describeMember } from '../operations/operation.js'
import { limit } from '../operations/schemas.js'
import type { Action } from './actions.js'
import { renderChip } from '../../shared/web/parts.js'
import { listGrantable, OPERATIONS_BY_NAME, type Visit } from './visit.js'

export interface FormSubject {
  readonly visit: Visit
  readonly action: Action
  readonly application: Application | undefined
  readonly named: Named
}

/** What the address of a form names besides the application, as members of the operation's input. */
type Named = Readonly<Partial<Record<'api' | 'kid' | 'credential' | 'credentialId' | 'contact' | 'address', string>>>

type Choices = readonly (readonly [
  value: string,
  label: string,
  api?: string | undefined,
  meaning?: string | undefined,
])[]

export interface Field {
  readonly control: (typeof CONTROLS)[keyof typeof CONTROLS] | 'email' | 'url' | 'area'
  readonly value?: string | readonly string[] | undefined
  readonly choices?: Choices
  readonly isRequired?: boolean
  readonly hint?: string
  /** Whether the operation takes away what is left empty. */
  readonly isNullable?: boolean
}

/** The control of a member of an operation's input, unless FIELDS has another one. */
const CONTROLS = {
  text: 'text',
  number: 'number',
  flag: 'flag',
  time: 'date',
  list: 'lines',
  json: 'json',
  grants: 'boxes',
  choice: 'select',
  record: 'json',
  object: 'json',
} as const

/** The properties of a field that the operation's schema does not have. */
const FIELDS: Readonly<Record<string, (subject: FormSubject) => Partial<Field>>> = {
  name: () => ({ isRequired: true }),
  contact: ({ action }) => ({ control: 'email', isRequired: action.operation !== 'applications.create' }),
  apis: ({ visit, action, application }) => {
    const choices = listGrants(visit, application?.apis)
    const isApproval = action.operation === 'applications.approve'
    // A credential without a choice is for all of them.
    const isRequired = isApproval || application === undefined
    return { control: 'boxes', choices, isRequired, value: isApproval ? choices.map(([value]) => value) : [] }
  },
  scopes: ({ visit, application, action, named: { api: name = '' } }) => {
    const request = application!.accessRequests.find(({ api }) => api === name)
    const held = Object.hasOwn(application!.apis, name) ? application!.apis[name]!.scopes : undefined
    const meanings = visit.auth.apis.find((api) => api.name === name)?.scopes ?? {}
    const all = Object.keys(meanings)
    const value = request ? [...(held ?? []), ...request.scopes] : (held ?? all)
    const choices = (request ? value : all).map((scope) => [scope, scope, undefined, meanings[scope]] as const)
    return { control: 'boxes', choices, value, isRequired: action.operation === 'applications.approve' }
  },
  language: () => ({ choices: LANGUAGES }),
  plan: ({ visit }) => ({ control: 'select', choices: listChoices(visit.planNames) }),
  reason: () => ({ control: 'area' }),
  note: () => ({ control: 'area' }),
  resourceServer: ({ visit }) => ({
    control: 'boxes',
    choices: visit.auth.apis.map(({ name, title }) => [name, title]),
  }),
  overlap: ({ visit: { texts } }) => ({
    control: 'select',
    choices: Object.entries(texts.overlaps),
    value: '86400',
    isRequired: true,
  }),
  deliver: ({ visit: { texts } }) => ({
    choices: Object.entries({ [HERE]: texts.shownHere, email: texts.byEmail }),
    isRequired: true,
  }),
  address: () => ({ control: 'email', isRequired: true }),
  jwksUri: () => ({ control: 'url' }),
  confirm: ({ application }) => ({ isRequired: true, hint: application!.name }),
}

/** Not empty: a browser sends no form in which a required choice is. */
export const HERE = 'here'
export const MAX_AREA = 500
export const LANGUAGES: Choices = Object.entries(LANGUAGE_NAMES)

const NONE = { apis: {}, accessRequests: [], contacts: [], invitations: [], keys: [], secrets: [] }

/** Undefined if there is none that the action is for. Persons are named by their place, so that no page's address has an e-mail address. */
export function findNamed(
  visit: Visit,
  { place }: Action,
  application: Application | undefined,
  kids: readonly string[],
): Named | undefined {
  const { apis, accessRequests, contacts, invitations, keys, secrets } = { ...NONE, ...application }
  const read = (name: string): string => visit.query.get(name) ?? ''
  const grantable = listGrantable(visit).map(({ name }) => name)
  const at = /^\d+$/.test(read('at')) ? Number(read('at')) : -1
  const person = place === 'contact' ? contacts[at] : invitations[at]?.address
  const findApi = (names: readonly string[]) => names.includes(read('api')) && { api: read('api') }
  const findCredential = (those: readonly { readonly id: string }[], id = read('credential')) =>
    those.some((each) => each.id === id) && { credential: id, credentialId: id }
  const named: Readonly<Record<string, Named | '' | false | undefined>> = {
    signingKey: kids.includes(read('kid')) && { kid: read('kid') },
    contact: person && { address: person, contact: person },
    invitation: person && { address: person, contact: person },
    request: findApi(accessRequests.map(({ api }) => api).filter((api) => grantable.includes(api))),
    api: findApi(Object.keys(apis)),
    otherApi: findApi(grantable.filter((name) => !Object.hasOwn(apis, name))),
    key: findCredential(keys),
    secret: findCredential(secrets.filter(({ keySet }) => !keySet)),
    keySet: findCredential(secrets.filter(({ keySet }) => keySet)),
    credential: findCredential([...keys, ...secrets]),
  }
  const found = Object.hasOwn(named, place) ? named[place] : {}
  return found ? ownMembers(found) : undefined
}

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

/** The limit, the credential or the application that a form changes: its members are what the fields begin with. */
function findCurrent({ action, application, named: { api, credential } }: FormSubject): object | undefined {
  if (!application || action.place === 'credentials') return undefined
  if (api !== undefined && action.place === 'api') return ownMembers(application.rateLimits)[api] ?? { window: 60 }
  if (action.operation !== 'applications.updateCredential') return application
  return [...application.keys, ...application.secrets].find(({ id }) => id === credential)
}

/** An approval chooses a plan for those who may set one. */
export function listAsked({ visit, action }: FormSubject): readonly string[] {
  return action.asks.filter((id) => id !== 'plan' || visit.may('plans.set'))
}

export function findField(id: string, subject: FormSubject): Field {
  const { shape } = OPERATIONS_BY_NAME.get(subject.action.operation)!.input
  const member = ownMembers<typeof shape>({ ...limit.shape, ...shape })[id]
  const { kind = 'text', isNullable = false } = member ? describeMember(member) : {}
  const value = formatValue(ownMembers<Record<string, unknown>>({ ...findCurrent(subject) })[id])
  return { control: CONTROLS[kind], value, isNullable, ...ownMembers(FIELDS)[id]?.(subject) }
}

function formatValue(value: unknown): Field['value'] {
  if (value === undefined) return undefined
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (Array.isArray(value)) return value as string[]
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

/** Controls whose labels say that they may be left empty. */
const MARKED: readonly Field['control'][] = ['text', 'email', 'date', 'area', 'lines']

export function renderFields(
  subject: FormSubject,
  entered: FormFields | undefined,
  problem: Problem | undefined,
): Html {
  const { texts } = subject.visit
  const hints: Readonly<Record<string, string>> = texts.hints
  return html`${listAsked(subject).map((id) => {
    const field = findField(id, subject)
    const values = entered ? (entered.get(id) ?? []) : [field.value ?? []].flat()
    const value = id === 'jwks' ? hidePrivateKey(values.join('\n')) : values.join('\n')
    const name = texts.labels[id as keyof typeof texts.labels]
    if (field.control === 'boxes') return renderBoxes({ id, name, choices: field.choices ?? [] }, values, problem)
    const isMarked = field.isRequired !== true && MARKED.includes(field.control)
    const label = isMarked ? html`${name} <span class="soft">${texts.optional}</span>` : name
    const unset = id === 'language' ? `${texts.unset} (${LANGUAGE_NAMES.en})` : texts.unset
    const render = (attributes: Html): Html => renderControl(attributes, field, value, unset)
    const isChoice = field.control === 'flag'
    return renderField({ id, label, hint: field.hint ?? ownMembers(hints)[id], problem, isChoice, render })
  })}`
}

function renderBoxes(
  { id, name, choices }: { readonly id: string; readonly name: string; readonly choices: Choices },
  values: readonly string[],
  problem: Problem | undefined,
): Html | false {
  const boxes = choices.map(([value, label, api, meaning], at) => {
    const text = meaning === undefined ? label : html`${renderChip(label)} <span class="soft">${meaning}</span>`
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

function renderControl(
  attributes: Html,
  { control, choices = [], isRequired = false }: Field,
  value: string,
  unset: string,
): Html {
  const required = isRequired && html` required`
  if (control === 'flag')
    return html`<input type="checkbox" ${attributes} value="on" ${value === 'on' && html` checked`} />`
  if (control === 'select')
    return renderSelect(html`${attributes}${required}`, isRequired ? choices : [['', unset], ...choices], value)
  if (control === 'lines' || control === 'json' || control === 'area') {
    const most = control === 'area' ? MAX_AREA : 8000
    const bounds = html`maxlength="${most}" spellcheck="${control === 'area' ? 'true' : 'false'}"`
    return renderTextarea(html`rows="3" ${attributes} ${bounds}${required}`, value)
  }
  return html`<input type="${control}" ${attributes} value="${value}" maxlength="500" autocomplete="off" ${required} />`
}
