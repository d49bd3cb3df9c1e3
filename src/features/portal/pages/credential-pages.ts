import type { CredentialInfo } from '../../../core/applications/application.js'
import { findAllowedTerms } from '../../../core/applications/credentials/allowed-terms.js'
import { LISTS, type CredentialKind } from '../../../core/applications/credentials/credentials.js'
import type { CredentialRecord } from '../../../shared/contracts/application-record.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { fillCount, fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { FormProblem, type ActionCall, type ActionPage, type IssuedCredential } from './action-page.js'
import { renderField, renderInputField, renderSelect, type Problem } from '../../../shared/web/form-field.js'
import { listCredentials, renderShown, type ShownCredential } from '../sections/credential-section.js'
import { readField, type FormFields } from '../../../core/http/form.js'
import type { PortalTexts } from '../texts/languages.js'
import { formatDateTime, renderDateTime } from '../../../shared/web/times.js'
import { isOffered, type ApplicationView, renderHiddenFields } from './view.js'
import { findGrant } from '../../../core/applications/records/grants.js'
import { formatEnvFile } from '../../../shared/samples/env-file.js'
import { renderCopyable, renderFirstCalls } from '../../../shared/web/first-steps.js'
import { renderNotice } from '../../../shared/web/parts.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import type { FrameTexts } from '../../../shared/web/texts/en.js'

export function createAddPage(view: ApplicationView, kind: CredentialKind): ActionPage {
  const { id } = view.record
  const { texts } = view
  const lifetimes = listLifetimes(view, kind)
  return {
    action: kind === 'key' ? 'addKey' : 'addSecret',
    heading: texts.add[kind],
    render: (entered, problem) =>
      html`<p>${texts.addAbout[kind]} ${texts.oneForEach}</p>
        ${renderNameField(readField(entered, 'name'), `${texts.nameHint} ${texts.uniqueName[kind]}`, problem, texts)}
        ${renderChoice({ id: 'expires', label: texts.expiry, problem }, lifetimes, readField(entered, 'expires') || '0')}`,
    async perform(entered, { applications, by }) {
      const name = readName(entered, texts)
      const days = Number(readChoice(entered, 'expires', lifetimes, texts))
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

export function findCredential(view: ApplicationView, id: string, orReplaced = false): ShownCredential | undefined {
  return listCredentials(view.record, view.now).find(
    ({ credential, isReplaced }) => credential.id === id && (orReplaced || !isReplaced),
  )
}

export function createRenamePage(view: ApplicationView, id: string): ActionPage | undefined {
  const shown = findCredential(view, id)
  if (!shown) return undefined
  const { kind, credential } = shown
  const { texts } = view
  const isKeySet = credential.keySet !== undefined
  return {
    action: 'rename',
    heading: isKeySet ? texts.keySets.rename : texts.renameIt[kind],
    button: texts.rename,
    render: (entered, problem) =>
      html`${describeCredential(kind, credential, texts)}
      ${renderNameField(entered.has('name') ? readField(entered, 'name') : credential.name, isKeySet ? texts.keySets.uniqueName : texts.uniqueName[kind], problem, texts)}`,
    async perform(entered, { applications, by }) {
      await applications.updateCredential(view.record.id, credential.id, { name: readName(entered, texts), by })
      return { done: 'renamed' }
    },
  }
}

export function createRotatePage(view: ApplicationView, id: string): ActionPage | undefined {
  const shown = findCredential(view, id)
  if (!shown || shown.credential.keySet) return undefined
  const { kind, credential } = shown
  const { name } = credential
  const { texts } = view
  const former = listCredentials(view.record, view.now).find(
    (each) => each.kind === kind && each.isReplaced && each.credential.name === name,
  )
  return {
    action: 'rotate',
    heading: texts.rotateIt[kind],
    render: (entered, problem) =>
      html`${describeCredential(kind, credential, texts)}
        <p>${texts.rotateAbout}</p>
        ${former?.credential.expiresAt !== undefined && html`<p class="notice warn">${fillHtml(texts.formerEnds[kind], { date: renderDateTime(former.credential.expiresAt, texts) })}</p>`}
        ${renderChoice({ id: 'overlap', label: texts.inUse[kind], problem }, texts.overlaps, readField(entered, 'overlap') || '86400')}`,
    async perform(entered, call) {
      const overlap = Number(readChoice(entered, 'overlap', texts.overlaps, texts))
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

export function createEndPage(view: ApplicationView, id: string): ActionPage | undefined {
  const shown = findCredential(view, id, true)
  if (!shown) return undefined
  const { kind, credential } = shown
  const isOnly = listCredentials(view.record, view.now).filter((each) => each.kind === kind).length === 1
  const revokes = kind === 'secret' && isOffered(view, 'revokeTokens')
  const { texts } = view
  const { keySets } = texts
  const isKeySet = credential.keySet !== undefined
  return {
    action: 'end',
    heading: isKeySet ? keySets.end : texts.endIt[kind],
    isDestructive: true,
    render: (entered) =>
      html`${describeCredential(kind, credential, texts)}
        <p>${isKeySet ? keySets.endAbout : texts.endAbout}</p>
        ${isOnly && html`<p class="notice warn">${isKeySet ? keySets.isOnly : texts.isOnly[kind]}</p>`}
        ${revokes && renderRevokeChoice(entered.has('revoke'), texts)}`,
    async perform(entered, { applications, by }) {
      const revokeTokens = revokes && entered.has('revoke')
      await applications.endCredential(view.record.id, credential.id, { by, revokeTokens })
      return { done: 'ended' }
    },
  }
}

function renderRevokeChoice(isChosen: boolean, { alsoRevoke }: PortalTexts): Html {
  return html`<label class="choice">
    <input type="checkbox" name="revoke" value="yes" ${isChosen && 'checked'} />
    <span>${alsoRevoke}</span>
  </label>`
}

/** The days after which a new credential may expire. `0`: the latest end, or never if there is none. */
export function listLifetimes({ record, now, findLatestExpiry, texts }: ApplicationView, kind: CredentialKind) {
  const limits = [
    findLatestExpiry({ kind, granted: record.apis, restriction: undefined }, now),
    findAllowedTerms(record, { kind, apis: undefined, isByContact: true }, now)?.endsAt,
  ]
  const latest = Math.min(...limits.map((limit) => limit ?? Infinity))
  const { lifetimes } = texts
  if (latest === Infinity) return lifetimes
  if (latest <= now) return { '0': fillText(texts.hasPassed, { date: formatDateTime(latest, texts) }) }
  const shorter = Object.entries(lifetimes).filter(([days]) => days !== '0' && now + Number(days) * DAY_MS < latest)
  return { ...Object.fromEntries(shorter), '0': fillText(texts.atTheMost, { end: describeLatest(latest, now, texts) }) }
}

/** A maximum age is a number of days from now; an operator may have chosen any time. */
function describeLatest(latest: number, now: number, texts: PortalTexts): string {
  const days = (latest - now) / DAY_MS
  if (Number.isInteger(days)) return fillCount(texts.inDays, days)
  return fillText(texts.onDate, { date: formatDateTime(latest, texts) })
}

export function describeCredential(kind: CredentialKind, credential: CredentialRecord, texts: PortalTexts): Html {
  return html`<dl class="subject">
    <dt>${credential.keySet ? texts.keySets.kind : texts.kinds[kind]}</dt>
    <dd>${credential.name} ${renderShown(credential)}</dd>
  </dl>`
}

export function renderNameField(value: string, hint: string, problem: Problem | undefined, texts: PortalTexts): Html {
  const field = { id: 'name', label: texts.name, hint, problem }
  return renderInputField(field, html`value="${value}" required maxlength="200" autocomplete="off"`)
}

export function renderChoice(
  field: { readonly id: string; readonly label: string; readonly problem: Problem | undefined },
  choices: Readonly<Record<string, string>>,
  chosen: string,
): Html {
  const render = (attributes: Html): Html => renderSelect(attributes, Object.entries(choices), chosen)
  return renderField({ ...field, render })
}

export function readName(entered: FormFields, { nameMissing }: PortalTexts): string {
  const name = readField(entered, 'name')
  if (name === '') throw new FormProblem(nameMissing, 'name')
  return name
}

/** A value that the form does not have is refused: a shorter overlap than was meant would end a credential too early. */
export function readChoice(
  entered: FormFields,
  name: string,
  choices: Readonly<Record<string, string>>,
  { chooseValue }: PortalTexts,
): string {
  const value = readField(entered, name)
  if (Object.hasOwn(choices, value)) return value
  throw new FormProblem(chooseValue, name)
}

/** Shows a new credential. It is in this page only: a reload sends the form again, which then changes nothing. */
export function renderIssued(view: ApplicationView, issued: IssuedCredential, developersUrl: string): Html {
  const { record, link, texts } = view
  const { kind, name, plain, expiresAt } = issued
  const expiry = expiresAt
    ? fillText(texts.expiresOn, { date: formatDateTime(expiresAt, texts) })
    : texts.itDoesNotExpire
  const frame = FRAME_TEXTS[texts.language]
  const apis = listApis(view, kind)
  return html`<div class="box">
    ${renderNotice(html`<p>${texts.shownOnce} ${expiry}</p>`, 'warn')}
    ${kind === 'secret' && renderCopyable(texts.sendAsClientId, record.id, frame)}
    ${renderCopyable(fillText(texts.value[kind], { name }), plain, frame)}
    ${
      apis.length > 0 &&
      html`<div class="actions">${renderDownload(view, issued, frame)}</div>
        ${renderFirstCalls({ apis, credentials: describeIssued(view, issued), developersUrl, texts: frame })}`
    }
    <p class="actions stored"><a class="button" href="${link(record.id)}">${texts.stored}</a></p>
  </div>`
}

function renderDownload(view: ApplicationView, { kind, plain }: IssuedCredential, { downloadEnv }: FrameTexts): Html {
  return html`<form method="post" action="${view.link(view.record.id, 'download')}">
    ${renderHiddenFields(view)}
    <input type="hidden" name="kind" value="${kind}" />
    <input type="hidden" name="value" value="${plain}" />
    <button class="quiet">${downloadEnv}</button>
  </form>`
}

export function formatIssuedFile(view: ApplicationView, issued: Pick<IssuedCredential, 'kind' | 'plain'>): string {
  const { record, texts } = view
  const { kind, plain } = issued
  const expiresAt = record[LISTS[kind]].find(({ prefix }) => plain.startsWith(prefix))?.expiresAt
  const comments =
    expiresAt === undefined ? [] : [fillText(texts.expiresOn, { date: formatDateTime(expiresAt, texts) })]
  return formatEnvFile(listApis(view, kind), describeIssued(view, issued), comments)
}

function describeIssued({ record }: ApplicationView, { kind, plain }: Pick<IssuedCredential, 'kind' | 'plain'>) {
  return kind === 'key' ? { key: plain } : { clientId: record.id, secret: plain }
}

function listApis({ apis, record }: ApplicationView, kind: IssuedCredential['kind']) {
  const scheme = kind === 'key' ? 'apiKey' : 'oauth2'
  return apis.filter((api) => api.scheme === scheme && findGrant(record, api) !== undefined)
}
