import { ownMembers } from '../../../shared/lib/own-members.js'
import type { Applications } from '../../../core/applications/applications-api.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { RegistrationOffer } from '../../../shared/contracts/offers.js'
import type { Portal } from '../portal-calls.js'
import type { CredentialKind } from '../../../core/applications/credentials/credentials.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { PortalAction } from '../portal-options.js'
import type { Problem } from '../../../shared/web/form-field.js'
import { type FormFields, readField } from '../../../core/http/form.js'
import { renderHiddenFields, type ApplicationView } from './view.js'
import { MAX_NAME_LENGTH } from '../../../core/applications/records/validation.js'
import type { ApplicationError } from '../../../shared/contracts/errors.js'
import { findAddressProblem } from '../../../shared/lib/email-address.js'
import { isFollowable } from '../../../shared/lib/followable.js'
import { fillDetail } from '../../../shared/lib/fill-in.js'
import { findLineProblem } from '../../../shared/lib/visible-text.js'
import type { PortalTexts } from '../texts/languages.js'

/** The page of one action: its form, which asks for confirmation, and the effect of the form. */
export interface ActionPage {
  readonly action: PortalAction
  readonly heading: string
  /** The heading, if left out. */
  readonly button?: string
  readonly isDestructive?: boolean
  render(entered: FormFields, problem?: Problem): Html
  /** Rejects with `FormProblem` for a mistake in a field. */
  perform(entered: FormFields, call: ActionCall): Promise<ActionOutcome>
}

/** The calls of an action: the operator's own calls, on the version of the application that the form was made for. */
export interface ActionCall {
  readonly applications: Applications
  readonly invite: Portal['invite']
  readonly requestAccess: (
    id: string,
    request: Parameters<RegistrationOffer['requestAccess']>[2],
  ) => ReturnType<RegistrationOffer['requestAccess']>
  readonly acceptTerms: (id: string, by: string) => Promise<void>
  readonly by: string
  /** Counts an e-mail to an address that the contact has chosen. Rejects with `too_many_requests`. */
  readonly limitInvitation: (applicationId: string, address: string) => Promise<void>
}

/** Makes the calls, which reject with what `check` throws for the record that they would change. */
export type CreateActionCalls = (
  check: (current: ApplicationRecord) => void,
) => Pick<ActionCall, 'applications' | 'invite' | 'requestAccess' | 'acceptTerms'>

type Left = 'deleted' | 'left' | 'withdrawn'

export type ActionOutcome =
  /** The application's page is shown, with that notice. */
  | { readonly done: Exclude<keyof PortalTexts['notices'], Left> }
  /** The list of applications is shown, with that notice. */
  | { readonly left: Left }
  /** A page shows the new credential, this once. */
  | { readonly issued: IssuedCredential }

export interface IssuedCredential {
  readonly kind: CredentialKind
  readonly name: string
  readonly plain: string
  readonly expiresAt: Date | undefined
}

export class FormProblem extends Error {
  override readonly name = 'FormProblem'
  readonly text: Html | string
  /** The id of the field; undefined if the form as a whole is refused. */
  readonly field: string | undefined
  /** The seconds after which the same form is accepted; undefined if it must be another. */
  readonly retryAfter: number | undefined

  constructor(text: Html | string, field?: string, retryAfter?: number) {
    super()
    this.text = text
    this.field = field
    this.retryAfter = retryAfter
  }
}

export class StaleForm extends Error {
  override readonly name = 'StaleForm'
}

export function renderActionForm(
  view: ApplicationView,
  page: ActionPage,
  entered: FormFields,
  problem: Problem | undefined,
): Html {
  const { record, link, texts } = view
  const { render, heading, button = heading, isDestructive = false } = ownMembers(page)
  return html`<form class="card" method="post">
    ${renderHiddenFields(view)} ${render(entered, problem)}
    <p class="actions">
      <button class="${isDestructive && 'danger'}">${button}</button>
      <a class="button quiet" href="${link(record.id)}">${texts.back}</a>
    </p>
  </form>`
}

export function describeProblem(
  { action }: { readonly action: PortalAction },
  { code }: ApplicationError,
  fields: FormFields,
  texts: PortalTexts,
): FormProblem {
  if (action === 'networks' && code === 'invalid_argument') return new FormProblem(texts.networksRefused, 'networks')
  const isInvitation = action === 'invite'
  const field = isInvitation ? 'address' : fields.has('name') ? 'name' : undefined
  if (code === 'invalid_argument' && field !== undefined) {
    const entered = readField(fields, field)
    const describe = isInvitation ? describeContactProblem : describeNameProblem
    return new FormProblem(describe(entered, texts), field)
  }
  if (code === 'conflict' && field !== undefined)
    return new FormProblem(isInvitation ? texts.isContact : texts.nameTaken, field)
  return new FormProblem(describeState(action, code, texts))
}

export function describeContactProblem(address: string, texts: PortalTexts): string {
  if (address === '') return texts.addressMissing
  return fillDetail(texts.addressRefused, findAddressProblem(address))
}

function describeNameProblem(name: string, texts: PortalTexts): string {
  const problem = findLineProblem(name, MAX_NAME_LENGTH)
  if (problem === undefined && isFollowable(name)) return texts.nameIsLink
  return fillDetail(texts.nameRefused, problem, { most: MAX_NAME_LENGTH })
}

function describeState(action: PortalAction, code: ApplicationError['code'], texts: PortalTexts): string {
  // The end has passed, or what operators left is for nothing that this kind is used for.
  const isLeftNothing = code === 'invalid_state' || code === 'not_granted'
  if (isLeftNothing && action === 'addKey') return texts.operatorEnded.key
  if (isLeftNothing && (action === 'addSecret' || action === 'addKeySet')) return texts.operatorEnded.secret
  return texts[BY_CODE.get(code) ?? 'impossible']
}

const BY_CODE: ReadonlyMap<string, 'wrongState' | 'tooManyCredentials' | 'tooManyContacts' | 'busy'> = new Map([
  ['invalid_state', 'wrongState'],
  ['too_many_credentials', 'tooManyCredentials'],
  ['too_many_contacts', 'tooManyContacts'],
  ['conflict', 'busy'],
])
