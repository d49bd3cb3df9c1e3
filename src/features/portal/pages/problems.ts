import { MAX_NAME_LENGTH } from '../../../core/applications/records/validation.js'
import type { ApplicationError } from '../../../shared/contracts/errors.js'
import { findAddressProblem } from '../../../shared/lib/email-address.js'
import { isFollowable } from '../../../shared/lib/followable.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { findLineProblem } from '../../../shared/lib/visible-text.js'
import type { PortalAction } from '../actions.js'
import { readField, type FormFields } from '../../../core/http/form.js'
import type { PortalTexts } from '../texts/en.js'
import { FormProblem } from './action-page.js'

/** The reason of a refusal in words for the contact who filled the form. The error's message is for operators. */
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

/** The problem of an address that somebody entered. */
export function describeContactProblem(address: string, texts: PortalTexts): string {
  if (address === '') return texts.addressMissing
  return fillText(texts.addressRefused, { detail: describeDetail(findAddressProblem(address)) })
}

function describeNameProblem(name: string, texts: PortalTexts): string {
  const problem = findLineProblem(name, MAX_NAME_LENGTH)
  if (problem === undefined && isFollowable(name)) return texts.nameIsLink
  return fillText(texts.nameRefused, { most: MAX_NAME_LENGTH, detail: describeDetail(problem) })
}

/** What is wrong is known in English only. */
function describeDetail(problem: string | undefined): string {
  return problem === undefined ? '' : ` This one ${problem}.`
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
