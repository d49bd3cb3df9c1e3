import type { FormFields } from '../../core/http/form.js'
import type { Application, CredentialInfo } from '../../index.js'
import { html, type Html } from '../../shared/web/html.js'
import {
  describeField,
  renderField,
  renderFieldProblem,
  renderSelect,
  renderTextarea,
  type Problem,
} from '../../shared/web/form-field.js'
import { LANGUAGE_NAMES } from '../../shared/contracts/application-record.js'
import { hidePrivateKey } from '../../shared/lib/key-set-text.js'
import type { Action } from './actions.js'
import type { Site, Visit } from './visit.js'

export interface FormSubject {
  readonly site: Site
  readonly visit: Visit
  readonly action: Action
  readonly application: Application | undefined
  readonly kids: readonly string[]
}

type Choices = readonly (readonly [value: string, label: string])[]

type Typed = 'text' | 'email' | 'url' | 'date' | 'number' | 'lines' | 'json'

/** A field of a form, with the value that it begins with. */
export interface Field {
  readonly control: Typed | 'area' | 'flag' | 'select' | 'boxes' | 'fixed'
  readonly value?: string | readonly string[] | undefined
  readonly choices?: Choices
  readonly isRequired?: boolean
}

const FIELDS: Readonly<Record<string, (subject: FormSubject) => Field>> = {
  name: (subject) => ({
    control: 'text',
    isRequired: true,
    value: findChanged(subject)?.name,
  }),
  contact: ({ action, application }) =>
    action.operation === 'portal.signOut'
      ? choose(listChoices(application!.contacts))
      : { control: 'email', value: application?.contact, isRequired: action.operation !== 'applications.create' },
  apis: ({ site, application }) => ({
    control: 'boxes',
    choices: listGrants(site, application?.apis),
    // A credential without a choice is for all of them.
    isRequired: application === undefined,
  }),
  granted: ({ site, application }) => ({
    control: 'boxes',
    isRequired: true,
    choices: listGrants(site, application!.apis),
    value: listGrants(site, application!.apis).map(([value]) => value),
  }),
  scopes: ({ site, visit, application, action }) => {
    const name = visit.query.get('api') ?? ''
    const request = application!.accessRequests.find(({ api }) => api === name)
    const held = Object.hasOwn(application!.apis, name) ? application!.apis[name]!.scopes : undefined
    const all = Object.keys(site.auth.apis.find((api) => api.name === name)?.scopes ?? {})
    const value = request ? [...(held ?? []), ...request.scopes] : (held ?? all)
    const isRequired = action.operation === 'applications.approve'
    return { control: 'boxes', choices: listChoices(request ? value : all), value, isRequired }
  },
  api: ({ visit }) => ({ control: 'fixed', value: visit.query.get('api') ?? '' }),
  language: ({ application }) => ({ control: 'select', choices: LANGUAGES, value: application?.language }),
  externalId: ({ application }) => ({ control: 'text', value: application?.externalId }),
  metadata: ({ application }) => ({
    control: 'json',
    value: application?.metadata && JSON.stringify(application.metadata, undefined, 2),
  }),
  networks: (subject) => ({ control: 'lines', value: findChanged(subject)?.networks?.join('\n') }),
  plan: ({ site, application }) => ({
    control: 'select',
    choices: listChoices(site.planNames),
    value: application?.plan,
  }),
  reason: () => ({ control: 'area' }),
  note: () => ({ control: 'area' }),
  resourceServer: ({ site, application }) => ({
    control: 'boxes',
    choices: site.auth.apis.map(({ name, title }) => [name, title]),
    value: application!.resourceServer,
  }),
  credentialId: describeCredential,
  credential: describeCredential,
  overlap: ({ visit }) => choose(Object.entries(visit.texts.overlaps), '86400'),
  deliver: ({ visit: { texts } }) => choose(Object.entries({ [HERE]: texts.shownHere, email: texts.byEmail })),
  expiresAt: (subject) => ({ control: 'date', value: findCredential(subject)?.expiresAt?.toISOString().slice(0, 10) }),
  address: ({ action, application, visit }) => {
    const { contacts, invitations } = application!
    const listed = action.place === 'contact' ? contacts : invitations.map(({ address }) => address)
    if (action.place === 'contacts') return { control: 'email', isRequired: true }
    return choose(listChoices(listed), listed[Number(visit.query.get('at') ?? 0)])
  },
  jwks: () => ({ control: 'json' }),
  jwksUri: () => ({ control: 'url' }),
  kid: ({ kids, visit }) => choose(listChoices(kids), visit.query.get('kid') ?? ''),
  limit: (subject) => ({ control: 'number', value: findLimit(subject)?.limit.toString() }),
  window: (subject) => ({ control: 'number', value: findLimit(subject)?.window.toString() ?? '60' }),
  until: (subject) => ({ control: 'date', value: findLimit(subject)?.until?.toISOString().slice(0, 10) }),
  confirm: () => ({ control: 'text', isRequired: true }),
}

/** Not empty: a browser sends no form in which a required choice is. */
export const HERE = 'here'
export const MAX_AREA = 500
const FLAG: Field = { control: 'flag' }
export const LANGUAGES: Choices = Object.entries(LANGUAGE_NAMES)

/** The one that the address names; where the form is not that of one, to be chosen, the newest first. */
function describeCredential(subject: FormSubject): Field {
  if (subject.action.place === 'credential')
    return { control: 'fixed', value: subject.visit.query.get('credential') ?? '' }
  const choices = listCredentials(subject)
  return choose(choices, subject.visit.query.get('credential') ?? choices[0]?.[0])
}

function choose(choices: Choices, value?: string): Field {
  return { control: 'select', choices, value, isRequired: true }
}

export function listChoices(values: readonly string[]): Choices {
  return values.map((value) => [value, value])
}

/** What may be ticked of APIs: each scope, or the API where it has none. */
function listGrants({ auth }: Site, granted: Application['apis'] | undefined): Choices {
  return auth.apis
    .filter(({ name }) => !granted || Object.hasOwn(granted, name))
    .flatMap(({ name, title, scopes }): Choices => {
      const listed = granted?.[name]?.scopes ?? Object.keys(scopes)
      return listed.length > 0 ? listed.map((scope) => [`${name} ${scope}`, `${title}: ${scope}`]) : [[name, title]]
    })
}

function listCredentials({ action, application }: FormSubject): Choices {
  const { keys, secrets } = application!
  const lists: Readonly<Record<string, readonly CredentialInfo[]>> = {
    'applications.rotateKey': keys,
    'applications.rotateSecret': secrets.filter(({ keySet }) => !keySet),
    'applications.replaceKeySet': secrets.filter(({ keySet }) => keySet),
    'applications.reloadKeySet': secrets.filter(({ keySet }) => keySet),
  }
  const listed = lists[action.operation] ?? [...keys, ...secrets]
  return listed.map(({ id, name, prefix, keySet }) => [id, keySet ? name : `${name} (${prefix}...)`])
}

function findCredential({ visit, application }: FormSubject): CredentialInfo | undefined {
  const id = visit.query.get('credential')
  return [...(application?.keys ?? []), ...(application?.secrets ?? [])].find((each) => each.id === id)
}

/** Finds the application or the credential whose name and networks a form changes. */
function findChanged(subject: FormSubject): Application | CredentialInfo | undefined {
  return subject.action.operation === 'applications.update' ? subject.application : findCredential(subject)
}

function findLimit({ visit, application }: FormSubject) {
  const api = visit.query.get('api') ?? ''
  return Object.hasOwn(application!.rateLimits, api) ? application!.rateLimits[api] : undefined
}

/** An approval chooses a plan for those who may set one. */
export function listAsked({ visit, action }: FormSubject): readonly string[] {
  return action.asks.filter((id) => id !== 'plan' || visit.may('plans.set'))
}

export function findField(id: string, subject: FormSubject): Field {
  return (FIELDS[id] ?? (() => FLAG))(subject)
}

/** The fields of a form: with what was entered, if it was refused. */
export function renderFields(
  subject: FormSubject,
  entered: FormFields | undefined,
  problem: Problem | undefined,
): Html {
  const { texts } = subject.visit
  return html`${listAsked(subject).map((id) => {
    const field = findField(id, subject)
    const value = entered ? (entered.get(id) ?? []) : [field.value ?? []].flat()
    const label = texts.labels[id as keyof typeof texts.labels]
    if (field.control === 'boxes') return renderBoxes({ id, label, choices: field.choices ?? [] }, value, problem)
    if (field.control === 'fixed')
      return html`${renderFieldProblem(id, problem)}<input
          type="hidden"
          id="${id}"
          name="${id}"
          ${describeField(id, problem)}
          value="${value[0]}"
        /> `
    const shown = id === 'jwks' ? hidePrivateKey(value[0] ?? '') : (value[0] ?? '')
    const render = (attributes: Html): Html => renderControl(attributes, field, shown, texts.unset)
    return renderField({ id, label, problem, isChoice: field.control === 'flag', render })
  })}`
}

function renderBoxes(
  { id, label, choices }: { readonly id: string; readonly label: string; readonly choices: Choices },
  chosen: readonly string[],
  problem: Problem | undefined,
): Html | false {
  const described = describeField(id, problem)
  return (
    choices.length > 0 &&
    html`<fieldset id="${id}">
      <legend>${label}</legend>
      ${renderFieldProblem(id, problem)}
      <div class="choices">
        ${choices.map(([value, text]) => html`<label class="choice"><input type="checkbox" name="${id}" value="${value}" ${chosen.includes(value) && html` checked`}${described} /><span>${text}</span></label>`)}
      </div>
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
