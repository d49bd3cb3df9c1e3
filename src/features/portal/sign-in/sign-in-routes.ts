import type { IncomingMessage } from 'node:http'
import { normalizeContact } from '../../../core/applications/contacts/contact-lists.js'
import { createInvitations } from '../invitations.js'
import { readOrigin } from '../../../core/http/origin.js'
import { formatFailureKey, readClientAddress } from '../../../shared/lib/request.js'
import { readEmailAddress } from '../../../shared/lib/email-address.js'
import type { Exchange, Outcome } from '../exchange.js'
import { readField } from '../../../core/http/form.js'
import { describeContactProblem } from '../pages/action-page.js'
import { TEXTS } from '../texts/languages.js'
import type { SignedIn, Sessions } from './session.js'
import type { SignIn } from './sign-in.js'
import type { SignInPages } from './sign-in-pages.js'
import type { Core } from '../../../feature.js'

const ID = /^[A-Za-z0-9_-]{22}$/

export function createSignInRoutes(
  core: Core,
  signIn: SignIn,
  sessions: Pick<Sessions, 'begin' | 'end'>,
  pages: SignInPages,
): ReadonlyMap<string, (exchange: Exchange) => Promise<Outcome>> {
  const { limitFailures, limitChanges } = core
  const { acceptInvitation } = createInvitations(core)

  /** Gives each address a fair share. A bad link or code is counted afterwards: a valid one always works, whatever else its address sends. */
  async function accept<Accepted>(req: IncomingMessage, work: () => Promise<Accepted | undefined>) {
    const accepted = await limitChanges(readClientAddress(req), work)
    if (accepted === undefined) await limitFailures?.(formatFailureKey(req, undefined))
    return accepted
  }

  async function requestSignIn({ fields, visitor, req }: Exchange): Promise<Outcome> {
    const contact = readField(fields, 'contact')
    const address = readEmailAddress(contact)
    if (address === undefined) {
      const text = describeContactProblem(contact, TEXTS[visitor.language])
      return show(400, pages.renderRequest(visitor, { contact, problem: { text, field: 'contact' } }))
    }
    const id = await signIn.request(normalizeContact(address), req)
    return show(202, pages.renderCode(visitor, { id, contact }))
  }

  async function acceptCode({ fields, visitor, req }: Exchange): Promise<Outcome> {
    const id = readField(fields, 'id')
    const code = readField(fields, 'code')
    const signedIn = ID.test(id) ? await accept(req, () => signIn.acceptCode(id, code)) : undefined
    if (signedIn) return begin(signedIn)
    const contact = readEmailAddress(readField(fields, 'contact'))
    return show(400, pages.renderCode(visitor, { id, contact, isRefused: true }))
  }

  async function acceptLink({ fields, visitor, req }: Exchange): Promise<Outcome> {
    const token = readField(fields, 'token')
    const signedIn = await accept(req, () => signIn.acceptLink(token))
    if (signedIn) return begin(signedIn)
    return show(400, pages.renderRequest(visitor, { problem: { text: TEXTS[visitor.language].linkRefused } }))
  }

  async function becomeContact({ fields, visitor, req }: Exchange): Promise<Outcome> {
    // A visitor without scripts pastes the whole link.
    const token = readField(fields, 'token').replace(/^.*#/s, '')
    const accepted = await accept(req, () => acceptInvitation(token, readOrigin(req)))
    if (!accepted) return show(400, pages.renderInvitationRefused(visitor))
    const { applicationName, address: contact } = accepted
    return show(200, pages.renderAccepted(visitor, { applicationName, contact }))
  }

  function begin(signedIn: SignedIn): Outcome {
    return { answer: { redirect: signedIn.applicationId ?? '' }, setCookie: sessions.begin(signedIn) }
  }

  async function signOut({ visitor: { session } }: Exchange): Promise<Outcome> {
    if (!session) return { answer: { redirect: '' } }
    return { answer: { redirect: '' }, setCookie: await sessions.end(session) }
  }

  return new Map([
    ['GET sign-in', async ({ visitor }: Exchange) => show(200, pages.renderLink('sign-in', visitor))],
    ['GET invitation', async ({ visitor }: Exchange) => show(200, pages.renderLink('invitation', visitor))],
    ['POST invitation', becomeContact],
    ['POST sign-in', requestSignIn],
    ['POST sign-in/code', acceptCode],
    ['POST sign-in/link', acceptLink],
    ['POST sign-out', signOut],
  ])
}

function show(status: number, page: string): Outcome {
  return { answer: { status, page } }
}
