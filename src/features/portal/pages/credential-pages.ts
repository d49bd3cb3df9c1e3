import type { CredentialInfo } from '../../../applications/application.js'
import { findEndBound } from '../../../applications/credentials/operator-ends.js'
import type { CredentialKind } from '../../../applications/credentials/credentials.js'
import type { CredentialRecord } from '../../../contracts/application-record.js'
import { DAY_MS } from '../../../lib/day.js'
import { html, type Html } from '../../../web/html.js'
import {
  FormProblem,
  renderActionForm,
  type ActionCall,
  type ActionPage,
  type IssuedCredential,
} from './action-page.js'
import { KIND_WORDS, listCredentials, type ShownCredential } from '../sections/credential-section.js'
import { readField, type FormFields } from '../form-fields.js'
import { formatDateTime, renderDateTime } from './times.js'
import { offers, type ApplicationView } from './view.js'

/** The page of an action on the credential with that id; undefined if there is none, or no such action. */
export function findCredentialPage(view: ApplicationView, credentialId: string, action = ''): ActionPage | undefined {
  if (action === '' && credentialId === 'new-key') return createAddPage(view, 'key')
  if (action === '' && credentialId === 'new-secret') return createAddPage(view, 'secret')
  const shown = listCredentials(view.record, view.now).find(({ credential }) => credential.id === credentialId)
  if (!shown) return undefined
  if (action === 'end') return createEndPage(view, shown)
  if (shown.isReplaced) return undefined
  if (action === 'rename') return createRenamePage(view, shown)
  return action === 'rotate' ? createRotatePage(view, shown) : undefined
}

function createAddPage(view: ApplicationView, kind: CredentialKind): ActionPage {
  const { id } = view.record
  const lifetimes = listLifetimes(view, kind)
  return {
    action: kind === 'key' ? 'addKey' : 'addSecret',
    heading: `Add a ${kind}`,
    render: (entered) =>
      renderActionForm(view, {
        button: `Add the ${kind}`,
        content: html`<p>
            ${kind === 'key' ? 'The new key works beside those that there are.' : 'The new secret works beside those that there are, with each key.'}
            Give each of your services its own: then you can replace one without touching the others.
          </p>
          ${renderNameField(readField(entered, 'name'), `What it is for, such as “warehouse” or “staging”. No other ${kind} has this name.`)}
          ${renderSelect('expires', 'It expires', lifetimes, readField(entered, 'expires') || '0')}`,
      }),
    async perform(entered, { applications, by }) {
      const name = readName(entered)
      const days = Number(readChoice(entered, 'expires', lifetimes))
      const options = { name, by, ...(days > 0 && { expiresAt: new Date(view.now + days * DAY_MS) }) }
      if (kind === 'key') {
        const { credentials, credential } = await applications.addKey(id, options)
        return { issued: { kind, name, plain: credentials.clientId, expiresAt: credential.expiresAt } }
      }
      const { credentials, credential } = await applications.addSecret(id, options)
      return { issued: { kind, name, plain: credentials.clientSecret, expiresAt: credential.expiresAt } }
    },
  }
}

function createRenamePage(view: ApplicationView, { kind, credential }: ShownCredential): ActionPage {
  return {
    action: 'rename',
    heading: `Rename a ${kind}`,
    render: (entered) =>
      renderActionForm(view, {
        button: 'Rename',
        content: html`${describeCredential(kind, credential)}
        ${renderNameField(entered.has('name') ? readField(entered, 'name') : credential.name, `No other ${kind} has this name.`)}`,
      }),
    async perform(entered, { applications, by }) {
      await applications.updateCredential(view.record.id, credential.id, { name: readName(entered), by })
      return { done: 'renamed' }
    },
  }
}

function createRotatePage(view: ApplicationView, { kind, credential }: ShownCredential): ActionPage {
  const { id, name } = credential
  const former = listCredentials(view.record, view.now).find(
    (each) => each.kind === kind && each.isReplaced && each.credential.name === name,
  )
  return {
    action: 'rotate',
    heading: `Rotate a ${kind}`,
    render: (entered) =>
      renderActionForm(view, {
        button: `Make a new ${kind}`,
        content: html`${describeCredential(kind, credential)}
          <p>You get a new ${kind} at once. It is shown only on the next page, so be ready to store it.</p>
          ${former?.credential.expiresAt !== undefined && html`<p class="note">The ${kind} before it, which works until ${renderDateTime(former.credential.expiresAt)}, ends at once.</p>`}
          ${renderSelect('overlap', `The ${kind} in use now`, OVERLAPS, readField(entered, 'overlap') || '86400')}`,
      }),
    async perform(entered, call) {
      const overlap = Number(readChoice(entered, 'overlap', OVERLAPS))
      return { issued: { kind, name, ...(await rotate(view.record.id, kind, { credential: id, overlap }, call)) } }
    },
  }
}

async function rotate(
  id: string,
  kind: CredentialKind,
  options: { readonly credential: string; readonly overlap: number },
  { applications, by }: ActionCall,
): Promise<Pick<IssuedCredential, 'plain' | 'expiresAt'>> {
  if (kind === 'key') {
    const { application, credentials } = await applications.rotateKey(id, { ...options, by })
    return describeNew(application.keys, credentials.clientId)
  }
  const { application, credentials } = await applications.rotateSecret(id, { ...options, by })
  return describeNew(application.secrets, credentials.clientSecret)
}

function describeNew(list: readonly CredentialInfo[], plain: string): Pick<IssuedCredential, 'plain' | 'expiresAt'> {
  return { plain, expiresAt: list.find(({ prefix }) => plain.startsWith(prefix))?.expiresAt }
}

function createEndPage(view: ApplicationView, { kind, credential }: ShownCredential): ActionPage {
  const isOnly = listCredentials(view.record, view.now).filter((each) => each.kind === kind).length === 1
  const revokes = kind === 'secret' && offers(view, 'revokeTokens')
  return {
    action: 'end',
    heading: `End a ${kind}`,
    render: (entered) =>
      renderActionForm(view, {
        button: `End the ${kind}`,
        isDestructive: true,
        content: html`${describeCredential(kind, credential)}
          <p>From the next request on, it is refused. This cannot be undone.</p>
          ${isOnly && html`<p class="note">It is the only ${kind} of this application. Whatever uses it stops working.</p>`}
          ${revokes && renderRevokeChoice(entered.has('revoke'))}`,
      }),
    async perform(entered, { applications, by }) {
      const revokeTokens = revokes && entered.has('revoke')
      await applications.endCredential(view.record.id, credential.id, { by, revokeTokens })
      return { done: 'ended' }
    },
  }
}

function renderRevokeChoice(isChosen: boolean): Html {
  return html`<label class="choice">
    <input type="checkbox" name="revoke" value="yes" ${isChosen && 'checked'} />
    <span>Also refuse every access token that was issued until now</span>
  </label>`
}

/** Seconds for which the replaced credential still works. */
const OVERLAPS = {
  '0': 'ends at once',
  '3600': 'works for another hour',
  '86400': 'works for another day',
  '604800': 'works for another 7 days',
} as const

/** Days after which a new credential expires. `0`: the platform's latest end, if it has one. */
const LIFETIMES = { '0': 'never', '30': 'in 30 days', '90': 'in 90 days', '365': 'in a year' } as const

/** The choice is limited to ends that the platform gives. */
function listLifetimes({ record, now, findLatestExpiry }: ApplicationView, kind: CredentialKind) {
  const limits = [
    findLatestExpiry({ kind, granted: record.apis, restriction: undefined }, now),
    findEndBound(record, kind, now),
  ]
  const latest = Math.min(...limits.map((limit) => limit ?? Infinity))
  if (latest === Infinity) return LIFETIMES
  if (latest <= now) return { '0': `on ${formatDateTime(latest)}, which has passed` }
  const shorter = Object.entries(LIFETIMES).filter(([days]) => days !== '0' && now + Number(days) * DAY_MS < latest)
  return { ...Object.fromEntries(shorter), '0': `${describeLatest(latest, now)} (the most)` }
}

/** A maximum age is a number of days from now; an operator may have chosen any time. */
function describeLatest(latest: number, now: number): string {
  const days = (latest - now) / DAY_MS
  if (!Number.isInteger(days)) return `on ${formatDateTime(latest)}`
  return days === 1 ? 'in a day' : `in ${days} days`
}

function describeCredential(kind: CredentialKind, { name, prefix }: CredentialRecord): Html {
  return html`<dl class="subject">
    <dt>${KIND_WORDS[kind]}</dt>
    <dd>${name} <code class="inline">${prefix}&hellip;</code></dd>
  </dl>`
}

function renderNameField(value: string, hint: string): Html {
  return html`<div class="field">
    <label for="name">Name</label>
    <p class="hint" id="name-hint">${hint}</p>
    <input
      id="name"
      name="name"
      value="${value}"
      required
      maxlength="200"
      autocomplete="off"
      aria-describedby="name-hint"
    />
  </div>`
}

function renderSelect(name: string, label: string, choices: Readonly<Record<string, string>>, chosen: string): Html {
  const options = Object.entries(choices).map(
    ([value, text]) => html`<option value="${value}" ${value === chosen && 'selected'}>${text}</option>`,
  )
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options}
    </select>
  </div>`
}

function readName(entered: FormFields): string {
  const name = readField(entered, 'name')
  if (name === '') throw new FormProblem('Enter a name.')
  return name
}

/** A value that the form does not have is refused: a shorter overlap than was meant would end a credential too early. */
function readChoice(entered: FormFields, name: string, choices: Readonly<Record<string, string>>): string {
  const value = readField(entered, name)
  if (Object.hasOwn(choices, value)) return value
  throw new FormProblem('Choose one of the values in the list.')
}
