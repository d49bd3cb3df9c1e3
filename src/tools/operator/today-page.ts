import type { Application, CredentialInfo } from '../../index.js'
import { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { withTimeout } from '../../shared/lib/timeout.js'
import { fillHtml, html, type Html } from '../../shared/web/html.js'
import { renderBar, renderEmpty, renderPill } from '../../shared/web/parts.js'
import { renderErrors } from '../../shared/web/usage-figures.js'
import { labelAction, renderActions } from './actions.js'
import { SOON_MS } from './applications-page.js'
import { renderEmail } from './emails-page.js'
import {
  fillTime,
  findTitle,
  renderAge,
  renderApplicationLink,
  renderPlainCard,
  renderItem,
  renderSection,
  type Cell,
} from './formats.js'
import { renderOverview } from './usage-page.js'
import type { Answer, Platform, Visit } from './visit.js'

const SHOWN = 20
/** More refusals than this, and than twice the mean of the week before, are shown. */
const FEW_REFUSALS = 10
const HEALTH_MS = 60_000
/** Checks ask services, such as the mail server: without their answer the page shows the rest. */
const CHECKS_MS = 3000

/** What needs somebody, the most urgent first, and how the platform does. */
export async function answerToday(visit: Visit): Promise<Answer> {
  const { auth, texts, root, may } = visit
  const link = may('usage.totals') && html`<a class="action" href="${root}/usage">${texts.show.usage}</a>`
  const [overview, ...found] = await Promise.all([
    renderOverview(visit, link),
    may('signingKeys.list') || may('emails.status') ? visit.listFindings() : [],
    listWaiting(visit),
    listQuotas(visit),
    listRefusing(visit),
    listUndelivered(visit),
    listEnding(visit),
  ])
  const titles = [texts.health, texts.waiting, texts.quotas, texts.refusing, texts.undelivered, texts.ending]
  const cards = found.flatMap((rows, at) => {
    const title = html`${titles[at]} ${renderPill(rows.length, at === 0 ? 'bad' : 'warn')}`
    return rows.length > 0 ? [renderSection(title, rows)] : []
  })
  const isFirst = cards.length === 0 && (await auth.applications.list({ limit: 1 })).items.length === 0
  const empty = isFirst
    ? ({ ...texts.noApplication, drawing: 'first' } as const)
    : { title: texts.nothingToDo, next: texts.nothingToDoBecause, isGood: true }
  const create = isFirst && renderActions(visit, 'applications', { isMain: true })
  return {
    heading: texts.tabs.today,
    tab: 'today',
    state: html`<span class="soft">${visit.formats.date.format(visit.now)}</span>`,
    content: html`${cards.length > 0 ? html`<div class="today">${cards}</div>` : renderPlainCard(texts.tabs.today, renderEmpty(empty, create))}
    ${overview}`,
  }
}

/** What health and the features' checks find, asked once a minute at most. */
export function createFindings(auth: Platform): () => Promise<readonly Html[]> {
  let asked = -Infinity
  let found: Promise<readonly Html[]>
  async function ask() {
    const [{ problems }, findings] = await Promise.all([
      auth.health(),
      withTimeout(auth[PLATFORM_PARTS]!.diagnose(), CHECKS_MS, () => new Error('too slow')).catch(() => []),
    ])
    const serious = findings.filter(({ isNote }) => isNote !== true)
    return [
      ...problems.map((problem) => renderItem(problem, [])),
      ...serious.map(({ option = '', problem, fix }) => renderItem(`${option} ${problem}`, [fix])),
    ]
  }
  return async () => {
    if (performance.now() - asked > HEALTH_MS) [asked, found] = [performance.now(), ask()]
    return found
  }
}

/** What somebody has to do with an application: a sentence, what else helps, and a button. */
function renderTask(
  visit: Visit,
  application: Pick<Application, 'id' | 'name'>,
  task: keyof Visit['texts']['tasks'],
  values: Readonly<Record<string, Html | string>>,
  facts: readonly Cell[],
): Html {
  const { root, texts, may } = visit
  const buttons = {
    waiting: ['', texts.decide],
    quota: ['/plan', may('plans.set') && labelAction('plan', texts)],
    refused: ['#refusals', texts.show.refusals],
    ending: ['#credentials', may('applications.get') && texts.show.credential],
  } as const
  const [path, button] = buttons[task]
  const { id, name } = application
  const link = html`<strong>${renderApplicationLink(visit, application)}</strong>`
  return renderItem(
    fillHtml(texts.tasks[task], { ...values, application: link }),
    facts,
    button !== false &&
      html`<a class="${task === 'waiting' ? 'button' : 'action'}" href="${root}/applications/${id}${path}"
        >${button}<span class="unseen"> ${name}</span></a
      >`,
  )
}

async function listWaiting(visit: Visit): Promise<readonly Html[]> {
  const { auth } = visit
  const { items } = await auth.applications.list({ waiting: true, limit: SHOWN })
  return items.flatMap((application) => {
    const { status, contact, createdAt, apis, accessRequests } = application
    const registrations = status === 'pending' ? [{ at: createdAt, names: Object.keys(apis) }] : []
    const requests = accessRequests.map(({ api, requestedAt }) => ({ at: requestedAt, names: [api] }))
    return [...registrations, ...requests].map(({ at, names }) => {
      const titles = names.map((api) => findTitle(visit, api)).join(', ')
      return renderTask(visit, application, 'waiting', { apis: titles }, [contact, renderAge(at, visit)])
    })
  })
}

async function listQuotas(visit: Visit): Promise<readonly Html[]> {
  const { auth, texts, formats, may } = visit
  if (!may('plans.list')) return []
  const { items } = await auth.plans!.list({ above: 80, limit: SHOWN })
  const { count, percent } = formats
  return items.map(({ applicationId: id, name, used, limit, share, endsAt }) => {
    const values = { share: percent.format(share / 100), limit: count.format(limit) }
    const facts = [renderBar(texts.labels.quota, used, limit), fillTime(texts.resets, endsAt, visit)]
    return renderTask(visit, { id, name }, 'quota', values, facts)
  })
}

async function listRefusing(visit: Visit): Promise<readonly Html[]> {
  const { auth, texts, formats, language, may } = visit
  if (!may('usage.totals')) return []
  const { items } = await auth.usage!.totals({ sort: 'refused', limit: SHOWN })
  const { count, percent } = formats
  return items
    .filter(({ refused, mean }) => refused > FEW_REFUSALS && refused > 2 * (mean?.refused ?? 0))
    .map(({ applicationId: id, name, refused, share, errors, mean }) => {
      const shown = html`<span class="${share >= 10 && 'wrong'}">${percent.format(share / 100)}</span>`
      const values = { count: count.format(refused), mean: count.format(Math.round(mean?.refused ?? 0)) }
      const facts = [html`${shown} ${texts.labels.refused.toLowerCase()}`, renderErrors(errors, language)]
      return renderTask(visit, { id, name }, 'refused', values, facts)
    })
}

/** E-mails whose last attempt failed, whether it was the last one or not. */
async function listUndelivered(visit: Visit): Promise<readonly Html[]> {
  const { auth, may } = visit
  if (!may('emails.list')) return []
  const lists = await Promise.all(
    (['failed', 'due'] as const).map((state) => auth.emails!.list({ state, limit: SHOWN })),
  )
  const undelivered = lists.flatMap(({ items }) => items).filter(({ problem }) => problem !== undefined)
  return undelivered.map((email) => renderEmail(visit, email, true))
}

/** Credentials that end soon and are in use; not those in whose place a newer one is used already. */
async function listEnding(visit: Visit): Promise<readonly Html[]> {
  const { auth, texts, now } = visit
  // What was never used, or long ago, does not take the place of what is.
  const [usedSince, expiringBefore] = [new Date(now - SOON_MS), new Date(now + SOON_MS)]
  const { items } = await auth.applications.list({ expiringBefore, usedSince, limit: 100 })
  const ending = items.flatMap((application) =>
    [application.keys, application.secrets].flatMap((list) =>
      list.flatMap((credential) => {
        const { name, expiresAt, lastUsedAt } = credential
        if (!expiresAt || expiresAt >= expiringBefore || !lastUsedAt || lastUsedAt <= usedSince) return []
        return isReplaced(credential, list) ? [] : [{ application, name, expiresAt, lastUsedAt }]
      }),
    ),
  )
  return ending.slice(0, SHOWN).map(({ application, name, expiresAt, lastUsedAt }) => {
    const values = { name, age: renderAge(expiresAt, visit) }
    return renderTask(visit, application, 'ending', values, [fillTime(texts.lastUsed, lastUsedAt, visit)])
  })
}

/** A rotation leaves the name to the newer one, which lasts longer. */
function isReplaced({ name, expiresAt }: CredentialInfo, list: readonly CredentialInfo[]): boolean {
  return list.some((each) => each.name === name && each.lastUsedAt && (!each.expiresAt || each.expiresAt > expiresAt!))
}
