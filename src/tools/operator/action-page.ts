import { createHash } from 'node:crypto'
import { readField, type FormFields } from '../../core/http/form.js'
import { ApplicationError, ConfigurationError, type Application } from '../../index.js'
import type { ApplicationRecord, KeySetRecord } from '../../shared/contracts/application-record.js'
import { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { fillCount, fillIn, fillText } from '../../shared/lib/fill-in.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { formatKeySet } from '../../shared/lib/key-set-text.js'
import { renderCopyable } from '../../shared/web/first-steps.js'
import type { Problem } from '../../shared/web/form-field.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderEmpty, renderNotice } from '../../shared/web/parts.js'
import { perform } from '../operations/perform.js'
import { findAction, isFinal, labelAction, type Action, type ActionName } from './actions.js'
import { findNamed, renderFields, type FormSubject } from './fields.js'
import { readUsage } from './figures.js'
import { sumUsage } from '../../shared/web/usage-figures.js'
import { describeRefusal, FieldProblem, readInput } from './form-input.js'
import { fillTime, findTitle, renderAge, shortenKid } from './formats.js'
import type { OperatorTexts } from './texts/en.js'
import { OPERATIONS_BY_NAME, type Answer, type PageAnswer, type TabName, type Visit } from './visit.js'

class Stale extends Error {}

interface ActionForm extends FormSubject {
  readonly name: ActionName
  readonly record: ApplicationRecord | undefined
  /** Of what the page shows: a form that is sent twice, or too late, changes nothing. */
  readonly version: string
}

/** The form of an action, which is its confirmation too, and what the form does. */
export async function answerAction(visit: Visit, name: string, id: string | undefined): Promise<Answer | undefined> {
  const { auth, core, may, method, texts, fields } = visit
  if (id !== undefined && !may('applications.get')) return undefined
  await core.lastUsed.flush()
  const record = id === undefined ? undefined : await core.store.findApplication(id)
  const application = record && (await auth.applications.get(record.id))
  if (id !== undefined && !application) return undefined
  const action = findAction(visit, name, application !== undefined)
  if (!action) return undefined
  const isOfKeys = findTab(action) === 'keys'
  const kids = isOfKeys ? (await auth.signingKeys.list()).items.map(({ kid }) => kid) : []
  const named = findNamed(visit, action, application, kids)
  const fits = named && (!application || action.fits!(application))
  if (!fits && method === 'GET') return undefined
  const version = record ? String(record.version) : createHash('sha256').update(kids.join()).digest('hex').slice(0, 16)
  const form: ActionForm = { visit, action, application, named: named ?? {}, name: name as ActionName, record, version }
  if (method === 'GET') return renderForm(form, undefined, undefined)
  try {
    // It fitted when the form was made.
    if (!fits || readField(fields, 'version') !== version) throw new Stale()
    return await performAction(form)
  } catch (error) {
    const content = html`<div class="card">${renderEmpty({ drawing: 'dash', next: texts.staleBecause })}</div>`
    const parent = findParent(visit, application)
    if (error instanceof Stale) return { status: 409, heading: texts.foreignForm, content, parent, isNarrow: true }
    if (!(error instanceof ApplicationError) && !(error instanceof ConfigurationError)) throw error
    return { status: 400, ...(await renderForm(form, fields, describeRefusal(error, form))) }
  }
}

function findParent({ texts }: Visit, application: Application | undefined): PageAnswer['parent'] {
  return application && [`/applications/${application.id}`, application.name || texts.deletedName]
}

async function renderForm(form: ActionForm, entered: FormFields | undefined, problem: Problem | undefined) {
  const { visit, action, application, name, version } = form
  const { texts, formToken, root, path, query } = visit
  const warning = Object.hasOwn(texts.warnings, name) ? texts.warnings[name as keyof typeof texts.warnings] : undefined
  const tab: TabName = application ? 'applications' : findTab(action)
  const parent = findParent(visit, application) ?? ([`/${tab}`, texts.tabs[tab]] as const)
  const sentence = formatSentence(form)
  const search = query.size > 0 ? `?${query.toString()}` : ''
  return {
    heading: sentence,
    tab,
    parent,
    problem,
    isNarrow: true,
    content: html`${application && name === 'approve' && (await renderRequest(visit, application))}
      ${application && action.hits ? await renderHits(form, application, warning) : warning !== undefined && html`<p>${warning}</p>`}
      <form method="post" action="${root}/${path.map(encodeURIComponent).join('/')}${search}">
        <input type="hidden" name="token" value="${formToken}" /><input type="hidden" name="version" value="${version}" />
        ${renderFields(form, entered, problem)}
        <p class="actions">
          <button${isFinal(name) && html` class="danger"`}>${labelSubmit(name, sentence, texts)}</button>
          <a class="button quiet" href="${root}${parent[0]}">${texts.cancel}</a>
        </p>
      </form>`,
  }
}

/** The heading has the rest: only what ends an application says its name again. */
function labelSubmit(name: ActionName, sentence: string, texts: OperatorTexts): string {
  if (name === 'suspend' || name === 'delete') return sentence
  return SAVED.split(' ').includes(name) ? texts.save : labelAction(name, texts)
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

function findTab({ place }: Action): TabName {
  return place === 'signingKey' ? 'keys' : (place as TabName)
}

const HIT_DAYS = 7

/** Whom an action would hit, told from the last 7 days: calls, the credentials that were used, and when the last one was. */
async function renderHits(form: ActionForm, application: Application, warning: string | undefined): Promise<Html> {
  const { visit, named } = form
  const { texts, formats, now } = visit
  const used = [...application.keys, ...application.secrets].filter((each) => {
    const isMeant = named.credential === undefined || each.id === named.credential
    return isMeant && each.lastUsedAt && now - each.lastUsedAt.getTime() < HIT_DAYS * DAY_MS
  })
  const last = Math.max(...used.map(({ lastUsedAt }) => lastUsedAt!.getTime()))
  const usage = await readUsage(visit, application.id, HIT_DAYS)
  const { calls } = sumUsage((usage ?? []).filter((entry) => named.api === undefined || entry.api === named.api))
  if (calls === 0 && used.length === 0) return renderNotice(html`<p>${warning} ${texts.hitsNobody}</p>`)
  // Calls are counted for the application, not for each of its credentials.
  const values = {
    calls: fillCount(texts.callCount, calls, formats.count.format(calls)),
    credentials: fillCount(texts.credentialCount, used.length, formats.count.format(used.length)),
    age: used.length > 0 ? renderAge(new Date(last), visit) : texts.uses.never,
  }
  return renderNotice(
    html`<p>${warning} ${fillIn<string | Html>(texts.hits, values)}</p>`,
    warning === undefined ? undefined : 'warn',
  )
}

async function performAction(form: ActionForm): Promise<Answer> {
  const { visit, action, application, name, record } = form
  const { auth, core, texts, fields, operator } = visit
  const operation = OPERATIONS_BY_NAME.get(action.operation)!
  const shape = operation.input.shape
  const given = readInput(form)
  if (name === 'delete' && given['confirm'] !== application!.name && given['confirm'] !== application!.id)
    throw new FieldProblem('confirm', texts.confirmName)
  let expected = record?.version
  const check = (current: ApplicationRecord): void => {
    if (expected !== undefined && current.version !== expected) throw new Stale()
  }
  // A form that creates an application creates one, however often it is sent, and to whichever process.
  const token = createHash('sha256').update(readField(fields, 'token')).digest('hex').slice(0, 32)
  const once = action.place === 'applications' ? { id: token, applicationId: `app_${token}` } : undefined
  const isSent = async (): Promise<boolean> =>
    (once && (await core.store.findApplication(once.applicationId))) !== undefined
  if (await isSent()) throw new Stale()
  const calls = auth as unknown as Readonly<Record<string, object>>
  const checked = Object.entries(auth[PLATFORM_PARTS]!.createGuardedCalls({ check, request: once }))
  const platform = {
    ...auth,
    ...Object.fromEntries(checked.map(([part, some]) => [part, { ...calls[part], ...some }])),
  }
  const by = `operator:${operator}`
  const run = async (call: Parameters<typeof OPERATIONS_BY_NAME.get>[0], input: object): Promise<unknown> => {
    try {
      const result = await perform(OPERATIONS_BY_NAME.get(call)!, platform, input, by)
      if (expected !== undefined) expected++
      return result
    } catch (error) {
      throw error instanceof ApplicationError && (await isSent()) ? new Stale() : error
    }
  }
  if (action.operation === 'applications.approve') await prepareApproval(form, given, run)
  const input = Object.fromEntries(
    Object.entries(toInput(form, given)).filter(([member]) => Object.hasOwn(shape, member)),
  )
  const result = await run(action.operation, input)
  const { credentials, application: created } = ownMembers<{
    readonly credentials?: Readonly<Record<string, string>>
    readonly application?: Application
  }>(isObject(result) ? result : {})
  const target = application ?? created
  if (credentials) return renderIssued(visit, target!, credentials)
  const place = target ? `/applications/${target.id}` : `/${findTab(action)}`
  return { redirect: `${place}?done=${name}` }
}

/** With everything that an operation may be about: its schema says which of it is its input. */
function toInput(
  { application, name, named }: ActionForm,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const about = { id: application?.id, applicationId: application?.id, ...named }
  if (name !== 'limit') return { ...about, ...given }
  const { limit, window, until } = given
  const set = limit === undefined ? null : { limit, window, ...(until !== undefined && { until }) }
  return { ...about, rateLimits: { [named.api!]: set } }
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
  const lines = keySet && formatKeySet('keys' in keySet ? keySet : { jwksUri: keySet.address })
  return html`<p class="facts">
    <span>${fillTime(texts.requested, createdAt, visit, { by: contact ?? texts.someContact })}</span>
    ${lines && html`<span>${texts.kinds.keySet}</span> ${lines.map((line) => html`<code>${line}</code>`)}`}
  </p>`
}

/** New credentials, which only this page shows: a reload sends the form again, which then does nothing. */
function renderIssued(
  visit: Visit,
  { id, name }: Application,
  { clientId, clientSecret }: Readonly<Record<string, string>>,
): Answer {
  const { texts, root, language } = visit
  const frame = FRAME_TEXTS[language]
  return {
    heading: texts.issued,
    tab: 'applications',
    parent: [`/applications/${id}`, name],
    isNarrow: true,
    content: html`${renderNotice(fillText(texts.issuedOnce, { name }), 'warn')}
      ${renderCopyable('client_id', clientId ?? id, frame)}
      ${clientSecret !== undefined && renderCopyable('client_secret', clientSecret, frame)}
      <p class="actions"><a class="button" href="${root}/applications/${id}">${texts.stored}</a></p>`,
  }
}

/** What an action that was just performed has done: nothing, if there is no such action. */
export function renderDone({ query, texts }: Visit): Html | false {
  const name = query.get('done') ?? ''
  return (
    Object.hasOwn(texts.actions, name) &&
    renderNotice(fillText(texts.done, { action: labelAction(name as ActionName, texts) }), 'good')
  )
}
