import { createHash } from 'node:crypto'
import { readField } from '../../core/http/form.js'
import { ApplicationError, ConfigurationError, type Application } from '../../index.js'
import { countChanges, type ApplicationRecord, type KeySetRecord } from '../../shared/contracts/application-record.js'
import { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { fillCount, fillText } from '../../shared/lib/fill-in.js'
import { hasOwnMember, isObject, ownMembers } from '../../shared/lib/own-members.js'
import { formatKeySet } from '../../shared/lib/key-set-text.js'
import { renderCopyable } from '../../shared/web/first-steps.js'
import type { Problem } from '../../shared/web/form-field.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderEmpty, renderNotice } from '../../shared/web/parts.js'
import { sumUsage } from '../../shared/web/usage-figures.js'
import type { CallName } from '../operations/operator-calls.js'
import { perform, replaceCalls } from '../operations/perform.js'
import { describeRefusal, FieldProblem, listFields, readInput, renderFields, type FormSubject } from './action-form.js'
import { findAction, findNamed, isFinal, labelAction, type ActionName } from './actions.js'
import { fillTime, findTitle, shortenKid } from './formats.js'
import { readUsage } from './usage-page.js'
import { OPERATIONS_BY_NAME, type Answer, type TabName, type Visit } from './visit.js'

class Stale extends Error {}

interface ActionForm extends FormSubject {
  readonly name: ActionName
  readonly record: ApplicationRecord | undefined
  readonly fields: ReturnType<typeof listFields>
  readonly page: ReturnType<typeof describePage>
}

/** The form of an action, which is its confirmation too, and what the form does. */
export async function answerAction(visit: Visit, name: string, id: string | undefined): Promise<Answer | undefined> {
  const { auth, core, may, method, texts } = visit
  if (id !== undefined && !may('applications.get')) return undefined
  await core.lastUsed.flush()
  const record = id === undefined ? undefined : await core.store.findApplication(id)
  const application = record && (await auth.applications.get(record.id))
  if (id !== undefined && !application) return undefined
  const action = findAction(visit, name, application !== undefined)
  if (!action) return undefined
  const page = describePage(visit, application, action.place)
  const kids = page.tab === 'keys' ? (await auth.signingKeys.list()).items.map(({ kid }) => kid) : []
  const named = findNamed(visit, action, application, kids)
  const fits = named && (!application || action.fits!(application))
  if (!fits && method === 'GET') return undefined
  // Of what the page shows: a form that is sent twice, or too late, changes nothing.
  const version = record ? String(countChanges(record)) : hash(kids.join()).slice(0, 16)
  const subject = { visit, action, application, named: named ?? {} }
  const form = { ...subject, name: name as ActionName, record, page, fields: listFields(subject) }
  if (method === 'GET') return renderForm(form, version, undefined)
  try {
    // It fitted when the form was made.
    if (!fits || readField(visit.fields, 'version') !== version) throw new Stale()
    return await performAction(form)
  } catch (error) {
    const content = html`<div class="card">${renderEmpty({ drawing: 'dash', next: texts.staleBecause })}</div>`
    if (error instanceof Stale) return { ...page, status: 409, heading: texts.foreignForm, content }
    if (!(error instanceof ApplicationError) && !(error instanceof ConfigurationError)) throw error
    return { ...(await renderForm(form, version, describeRefusal(error, form.fields, visit))), status: 400 }
  }
}

/** What the pages of an action have in common: they are below that of the application, or below the list. */
function describePage({ texts }: Visit, application: Application | undefined, place: string) {
  const tab = (
    application ? 'applications' : place === 'signingKey' || place === 'sessions' ? 'keys' : place
  ) as TabName
  const above = application && ([`/applications/${application.id}`, application.name || texts.deletedName] as const)
  return { tab, parent: above ?? ([`/${tab}`, texts.tabs[tab]] as const), isNarrow: true }
}

async function renderForm(form: ActionForm, version: string, problem: Problem | undefined) {
  const { visit, action, application, name, fields, page } = form
  const { texts, formToken, root, path, query } = visit
  const warning = Object.hasOwn(texts.warnings, name) ? texts.warnings[name as keyof typeof texts.warnings] : undefined
  const heading = formatSentence(form)
  const search = query.size > 0 ? `?${query.toString()}` : ''
  // The heading has the rest: only what ends an application says its name again.
  const isSaid = name === 'suspend' || name === 'delete'
  const button = isSaid ? heading : SAVED.split(' ').includes(name) ? texts.save : labelAction(name, texts)
  return {
    ...page,
    heading,
    problem,
    content: html`${application && name === 'approve' && (await renderRequest(visit, application))}
      ${application && action.hits ? await renderHits(form, application, warning) : warning !== undefined && html`<p>${warning}</p>`}
      <form method="post" action="${root}/${path.map(encodeURIComponent).join('/')}${search}">
        <input type="hidden" name="token" value="${formToken}" /><input type="hidden" name="version" value="${version}" />
        ${renderFields(fields, visit, problem)}
        <p class="actions">
          <button${isFinal(name) && html` class="danger"`}>${button}</button>
          <a class="button quiet" href="${root}${page.parent[0]}">${texts.cancel}</a>
        </p>
      </form>`,
  }
}

/** Actions whose form shows what there is now. */
const SAVED = 'edit plan resourceServer changeCredential allow limit'

function formatSentence({ visit, application, name, named }: ActionForm): string {
  const { texts } = visit
  const { api, kid = '', address = '', credential } = named
  const { keys = [], secrets = [] } = application ?? {}
  return fillText(texts.actions[name].replaceAll(/[[\]]/g, ''), {
    application: application?.name || texts.deletedName,
    api: api === undefined ? '' : findTitle(visit, api),
    credential: [...keys, ...secrets].find(({ id }) => id === credential)?.name ?? '',
    address,
    kid: shortenKid(kid),
  })
}

const HIT_DAYS = 7

/** Whom an action would affect: the calls of the last 7 days, and the last use of the credential, or of all of them. */
async function renderHits(form: ActionForm, application: Application, warning: string | undefined): Promise<Html> {
  const { visit, named } = form
  const { texts, formats, now } = visit
  const { id, name, keys, secrets } = application
  const credential = [...keys, ...secrets].find((each) => each.id === named.credential)
  const { lastUsedAt } = credential ?? application
  const usage = await readUsage(visit, id, HIT_DAYS)
  const { calls } = sumUsage((usage ?? []).filter((entry) => named.api === undefined || entry.api === named.api))
  const isUsed = lastUsedAt !== undefined && now - lastUsedAt.getTime() < HIT_DAYS * DAY_MS
  if (calls === 0 && !isUsed) return renderNotice(html`<p>${warning} ${texts.hitsNobody}</p>`, 'info')
  const lastUse = credential ? texts.hitsOfOne : (named.api === undefined || calls === 0) && `${texts.lastUsed}.`
  const values = { application: name, calls: fillCount(texts.callCount, calls, formats.count.format(calls)) }
  // Calls are counted for the application, not for each of its credentials, and a little after they were made.
  const hits = html`${calls > 0 && fillText(texts.hits, values)}
  ${lastUse && (lastUsedAt ? fillTime(lastUse, lastUsedAt, visit) : `${texts.neverUsed}.`)}`
  return renderNotice(html`<p>${warning} ${hits}</p>`, warning === undefined ? 'info' : 'warn')
}

async function performAction(form: ActionForm): Promise<Answer> {
  const { visit, action, application, name, record, fields, page } = form
  const { auth, core, texts, operator } = visit
  // What the operator may no longer set, such as the plan of an approval, is not left out in silence.
  const isAsked = (id: string): boolean => fields.some((field) => field.id === id)
  if (action.asks.some((id) => !isAsked(id) && readField(visit.fields, id) !== '')) throw new Stale()
  const given = readInput(fields, visit)
  if (name === 'delete' && given['confirm'] !== application!.name && given['confirm'] !== application!.id)
    throw new FieldProblem('confirm', texts.confirmName)
  let expected = record && countChanges(record)
  const check = (current: ApplicationRecord): void => {
    if (expected !== undefined && countChanges(current) !== expected) throw new Stale()
  }
  // A form that creates an application creates one, however often it is sent, and to whichever process.
  const token = hash(readField(visit.fields, 'token')).slice(0, 32)
  const once = action.place === 'applications' ? { id: token, applicationId: `app_${token}` } : undefined
  const isSent = async (): Promise<boolean> =>
    (once && (await core.store.findApplication(once.applicationId))) !== undefined
  if (await isSent()) throw new Stale()
  const platform = replaceCalls(auth, auth[PLATFORM_PARTS]!.createGuardedCalls({ check, request: once }))
  const run = async (call: CallName, input: object): Promise<unknown> => {
    try {
      const result = await perform(OPERATIONS_BY_NAME.get(call)!, platform, input, `operator:${operator}`)
      if (expected !== undefined) expected++
      return result
    } catch (error) {
      throw error instanceof ApplicationError && (await isSent()) ? new Stale() : error
    }
  }
  if (action.operation === 'applications.approve') await prepareApproval(form, given, run)
  const isMailed = name === 'create' && given['deliver'] !== undefined
  const operation = isMailed ? 'registration.register' : action.operation
  const result = await run(operation, toInput(form, operation, given))
  const { credentials, application: created } = ownMembers<{
    readonly credentials?: Readonly<Record<string, string>>
    readonly application?: Application
  }>(isObject(result) ? result : {})
  const target = application ?? created
  if (credentials) return renderIssued(visit, target!, credentials)
  return { redirect: `${target ? `/applications/${target.id}` : page.parent[0]}?done=${name}` }
}

/** Of everything that an operation may be about, what its schema has. */
function toInput(
  { application, name, named }: ActionForm,
  operation: CallName,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { limit, window, until } = given
  const set = limit === undefined ? null : { limit, window, ...(until !== undefined && { until }) }
  const limits = name === 'limit' && { rateLimits: { [named.api!]: set } }
  const about = { id: application?.id, applicationId: application?.id, ...named, ...given, ...limits }
  const { shape } = OPERATIONS_BY_NAME.get(operation)!.input
  return Object.fromEntries(Object.entries(about).filter(([member]) => Object.hasOwn(shape, member)))
}

/** What an approval takes away, and the plan that it chooses, before it approves: nobody ever has more. */
async function prepareApproval(
  { name, application }: ActionForm,
  { apis: granted, plan: chosen }: Readonly<Record<string, unknown>>,
  run: (call: 'applications.allow' | 'applications.disallow' | 'plans.set', input: object) => Promise<unknown>,
): Promise<void> {
  const { id, apis, plan } = application!
  const kept = new Map(Object.entries((granted ?? {}) as Application['apis']))
  for (const [api, grant] of name === 'approve' ? Object.entries(apis) : []) {
    const left = kept.get(api)
    if (!left) await run('applications.disallow', { id, api })
    else if (left.scopes.length < grant.scopes.length) await run('applications.allow', { id, api, scopes: left.scopes })
  }
  if (chosen !== undefined && chosen !== plan) await run('plans.set', { id, plan: chosen })
}

/** Who asks to be registered, since when, and with which public keys. */
async function renderRequest(visit: Visit, { id, contact, createdAt }: Application): Promise<Html> {
  const { core, texts } = visit
  const query = { applicationId: id, purpose: 'registration', state: 'held', limit: 1 } as const
  const [email] = (await core.store.emails?.list(query)) ?? []
  const keySet = email?.details?.['keySet'] as KeySetRecord | undefined
  const lines = keySet && formatKeySet(hasOwnMember(keySet, 'keys') ? keySet : { jwksUri: keySet.address })
  return html`<p class="facts">
    <span>${fillTime(texts.requested, createdAt, visit, { by: contact ?? texts.someContact })}</span>
    ${lines && html`<span>${texts.kinds.keySet}</span> ${lines.map((line) => html`<code>${line}</code>`)}`}
  </p>`
}

/** New credentials, which only this page shows: a reload sends the form again, which then does nothing. */
function renderIssued(
  visit: Visit,
  application: Application,
  { clientId = application.id, clientSecret }: Readonly<Record<string, string>>,
): Answer {
  const { texts, root, language } = visit
  const page = describePage(visit, application, 'applications')
  return {
    ...page,
    heading: texts.issued,
    content: html`${renderNotice(fillText(texts.issuedOnce, { name: application.name }), 'warn')}
      ${renderCopyable('client_id', clientId, FRAME_TEXTS[language])}
      ${clientSecret !== undefined && renderCopyable('client_secret', clientSecret, FRAME_TEXTS[language])}
      <p class="actions"><a class="button" href="${root}${page.parent[0]}">${texts.stored}</a></p>`,
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
