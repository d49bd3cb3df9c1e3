import type { Application } from '../../index.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderNotice } from '../../shared/web/parts.js'
import type { CallName } from '../operations/operator-calls.js'
import { listGrantable, OPERATIONS_BY_NAME, type Visit } from './visit.js'

export interface Action {
  readonly operation: CallName
  /** Where pages offer it, by which its address names what it is about, besides the application. */
  readonly place: string
  /** What its form asks for, in this order: members of the input, and what action-form.ts makes some of. */
  readonly asks: readonly string[]
  readonly fits?: (application: Application) => boolean
  /** Whether calls could be refused afterwards. */
  readonly hits: boolean
}

const isActive = ({ status }: Application): boolean => status === 'active'
const isAlive = ({ status }: Application): boolean => status !== 'deleted'
const isUsable = ({ status }: Application): boolean => status === 'active' || status === 'suspended'
const isHeld = ({ status, waitingSince }: Application): boolean => status === 'pending' && waitingSince !== undefined
const isSuspended = ({ status }: Application): boolean => status === 'suspended'
const hasContacts = ({ contacts }: Application): boolean => contacts.length > 1
const NEW = 'name contact apis language externalId'
const TERMS = 'name expiresAt networks apis'
const ROTATION = 'overlap deliver revokeTokens'
const NEW_KEY_SET = 'jwksUri jwks revokeTokens'

function act(operation: CallName, place: string, asks: string, fits?: Action['fits'], hits = false): Action {
  return { operation, place, asks: asks.split(' ').filter(Boolean), ...(fits && { fits }), hits }
}

/** Each operation that changes something, by the name that its address has; those of a place in the order in which pages show them. */
export const ACTIONS = {
  create: act('applications.create', 'applications', `${NEW} deliver`),
  register: act('registration.register', 'applications', NEW),
  approve: act('applications.approve', 'top', 'apis plan note', isHeld),
  deny: act('applications.deny', 'top', 'reason', isHeld),
  approveAccess: act('applications.approve', 'request', 'scopes plan note', isAlive),
  denyAccess: act('applications.deny', 'request', 'reason', isAlive),
  resume: act('applications.resume', 'top', '', isSuspended),
  edit: act('applications.update', 'settings', 'name externalId language networks metadata', isAlive),
  plan: act('plans.set', 'settings', 'plan', isAlive, true),
  resourceServer: act('applications.update', 'settings', 'resourceServer', isAlive),
  addKey: act('applications.addKey', 'credentials', TERMS, isActive),
  addSecret: act('applications.addSecret', 'credentials', TERMS, isActive),
  addKeySet: act('applications.addKeySet', 'credentials', 'name jwksUri jwks expiresAt networks apis', isActive),
  rotateKey: act('applications.rotateKey', 'key', ROTATION, isActive, true),
  rotateSecret: act('applications.rotateSecret', 'secret', ROTATION, isActive, true),
  replaceKeySet: act('applications.replaceKeySet', 'keySet', NEW_KEY_SET, isUsable, true),
  reloadKeySet: act('applications.reloadKeySet', 'keySet', '', isUsable),
  changeCredential: act('applications.updateCredential', 'credential', 'name expiresAt networks', isUsable, true),
  endCredential: act('applications.endCredential', 'credential', 'revokeTokens', isUsable, true),
  grant: act('applications.allow', 'otherApi', 'scopes', isAlive),
  allow: act('applications.allow', 'api', 'scopes', isAlive, true),
  limit: act('applications.update', 'api', 'limit window until', isAlive),
  disallow: act('applications.disallow', 'api', '', isAlive, true),
  addContact: act('applications.addContact', 'contacts', 'address', isAlive),
  invite: act('portal.invite', 'contacts', 'address', isActive),
  contact: act('applications.update', 'contacts', 'contact', isAlive),
  signOut: act('portal.signOut', 'contact', '', isAlive),
  removeContact: act('applications.removeContact', 'contact', '', hasContacts),
  cancelInvitation: act('applications.cancelInvitation', 'invitation', '', isAlive),
  retryEmails: act('emails.retry', 'emails', '', isAlive),
  cancelEmails: act('emails.cancel', 'emails', '', isAlive),
  suspend: act('applications.suspend', 'danger', 'reason notify revokeTokens', isActive, true),
  revokeTokens: act('applications.revokeTokens', 'danger', '', isUsable, true),
  recover: act('applications.recover', 'danger', 'contact deliver', isUsable, true),
  delete: act('applications.delete', 'danger', 'confirm', isAlive, true),
  rotateSigningKey: act('signingKeys.rotate', 'keys', 'immediately'),
  endSessions: act('sessionSecret.replace', 'sessions', ''),
  revokeSigningKey: act('signingKeys.revoke', 'signingKey', ''),
  retryAllEmails: act('emails.retry', 'emails', ''),
} satisfies Readonly<Record<string, Action>>

/** Actions that end something for good, besides those of the danger zone. */
const FINAL = 'deny denyAccess disallow endCredential removeContact revokeSigningKey'

export type ActionName = keyof typeof ACTIONS

/** The action of that name, if the platform has it and the operator may perform it on such a subject: an application, or none. */
export function findAction({ may, mayDoAll }: Visit, name: string, isAbout: boolean): Action | undefined {
  const action: Action | undefined = Object.hasOwn(ACTIONS, name) ? ACTIONS[name as ActionName] : undefined
  if (!action || (action.fits !== undefined) !== isAbout) return undefined
  if (name === 'resourceServer' && !mayDoAll) return undefined
  const operation = OPERATIONS_BY_NAME.get(action.operation)!
  const scopes = action.asks.map((member) => ownMembers(operation.memberScopes)[member])
  return may(action.operation, scopes.find(Boolean)) ? action : undefined
}

/** What the address of a form names besides the application, as members of the operation's input. */
export type Named = Readonly<
  Partial<Record<'api' | 'kid' | 'credential' | 'credentialId' | 'contact' | 'address', string>>
>

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
  const findPerson = (addresses: readonly string[]) => {
    const address = addresses.find((_, at) => String(at) === read('at'))
    return address !== undefined && { address, contact: address }
  }
  const findApi = (names: readonly string[]) => names.includes(read('api')) && { api: read('api') }
  const findCredential = (those: readonly { readonly id: string }[], id = read('credential')) =>
    those.some((each) => each.id === id) && { credential: id, credentialId: id }
  const named: Readonly<Record<string, Named | false>> = {
    signingKey: kids.includes(read('kid')) && { kid: read('kid') },
    contact: findPerson(contacts),
    invitation: findPerson(invitations.map(({ address }) => address)),
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

const NONE = { apis: {}, accessRequests: [], contacts: [], invitations: [], keys: [], secrets: [] }

/** Links to the actions of places: as many as are `shown`, and a menu of the others. `query`: what they are about; `subject`: the same for screen readers. */
export function renderActions(
  visit: Visit,
  places: string,
  about: {
    readonly application?: Application | undefined
    readonly query?: Readonly<Record<string, string>>
    readonly subject?: string
    readonly except?: readonly ActionName[]
    readonly shown?: number
    /** The first one is what the page is for. */
    readonly isMain?: boolean
    readonly more?: Html
  } = {},
): Html | false {
  const { application, query, subject = '', except = [], shown = 1, isMain = false, more } = about
  const { root, texts } = visit
  const search = query ? `?${new URLSearchParams(query).toString()}` : ''
  const path = application ? `/applications/${application.id}` : '/do'
  const names = (Object.keys(ACTIONS) as ActionName[]).filter((name) => {
    if (!places.split(' ').includes(ACTIONS[name].place) || except.includes(name)) return false
    // The form of the other one offers this too.
    if (name === 'register' && findAction(visit, 'create', false)) return false
    const action = findAction(visit, name, application !== undefined)
    return action && (!application || action.fits!(application))
  })
  const links = names.map(
    (name, at) =>
      html`<a
        class="${isMain && at === 0 ? 'button' : 'action'}${name === 'delete' && ' danger'}"
        href="${root}${path}/${name}${search}"
        >${labelAction(name, texts)}<span class="unseen"> ${subject}</span></a
      > `,
  )
  const others = links.splice(shown)
  const menu =
    others.length > 0 &&
    html`<details class="menu">
      <summary class="action" aria-label="${texts.menu} ${subject}">
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12h0M12 12h0M19 12h0" /></svg>
      </summary>
      <div>${others}</div>
    </details>`
  return (links.length > 0 || menu || more !== undefined) && html`<div class="actions">${links} ${menu} ${more}</div>`
}

/** What a link to an action says: its text without what it names, in brackets, which pages with the form of the action have too. */
export function labelAction(name: ActionName, { actions }: Visit['texts']): string {
  const label = actions[name].replaceAll(/\[[^\]]*\]/g, '')
  return label.slice(0, 1).toUpperCase() + label.slice(1)
}

export function isFinal(name: ActionName): boolean {
  return ACTIONS[name].place === 'danger' || FINAL.split(' ').includes(name)
}

/** What an action that was just performed has done: nothing, if there is no such action. */
export function renderDone({ query, texts }: Visit): Html | false {
  const name = query.get('done') ?? ''
  return (
    Object.hasOwn(texts.actions, name) &&
    renderNotice(fillText(texts.done, { action: labelAction(name as ActionName, texts) }), 'good')
  )
}
