import type { Application, CredentialInfo } from '../../index.js'
import { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { withTimeout } from '../../shared/lib/timeout.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderBar, renderPill } from '../../shared/web/parts.js'
import type { OperatorTexts } from './texts/en.js'
import { renderActions } from './actions.js'
import { renderApplicationLink, renderEmptyCard, type NamedApplication } from './applications-page.js'
import { fillTime, findTitle, renderAge, renderItem, renderSection, type Cell } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import { renderErrors } from '../../shared/web/usage-figures.js'
import { renderOverview } from './usage-page.js'
import type { Page, Platform, Site, Visit } from './visit.js'

const SHOWN = 20
const EXPIRY_MS = 30 * DAY_MS
/** More refusals than this, and than twice the mean of the week before, are shown. */
const FEW_REFUSALS = 10
const HEALTH_MS = 60_000
/** Checks ask services, such as the mail server: without their answer the page shows the rest. */
const CHECKS_MS = 3000

export function createTodayPage(site: Site): Page {
  const findFindings = createFindings(site.auth)
  return async function answerToday(visit) {
    const { texts } = visit
    const link = visit.may('usage.totals') && html`<a class="action" href="${visit.root}/usage">${texts.tabs.usage}</a>`
    const [overview, ...found] = await Promise.all([
      renderOverview(site, visit, link),
      listFindings(findFindings, visit),
      listWaiting(site, visit),
      listQuotas(site, visit),
      listRefusing(site, visit),
      listUndelivered(site, visit),
      listEnding(site, visit),
    ])
    const titles = [texts.health, texts.waiting, texts.quotas, texts.refusing, texts.undelivered, texts.ending]
    const cards = found.flatMap((rows, at) => {
      const title = html`${titles[at]} ${renderPill(rows.length, at === 0 ? 'bad' : 'warn')}`
      return rows.length > 0 ? [renderSection(title, rows, {})] : []
    })
    const isFirst = cards.length === 0 && (await site.auth.applications.list({ limit: 1 })).items.length === 0
    const empty = isFirst
      ? ({ title: texts.noApplication, next: texts.noApplicationNext, drawing: 'first' } as const)
      : { title: texts.nothingToDo, next: texts.nothingToDoBecause, isGood: true }
    const create = isFirst && renderActions(site, visit, 'list', { isMain: true, shown: 2 })
    return {
      heading: texts.tabs.today,
      tab: 'today',
      content: html`${cards.length > 0 ? html`<div class="today">${cards}</div>` : renderEmptyCard(texts.tabs.today, empty, create)}
      ${overview}`,
    }
  }
}

/** What somebody has to do with an application: a sentence, what else helps, and where it is done. */
function renderTask(
  { root, texts }: Visit,
  application: NamedApplication,
  task: {
    readonly sentence: keyof OperatorTexts['tasks']
    readonly values: Readonly<Record<string, Html | string>>
    readonly facts: readonly Cell[]
    /** The path of the button, below the page of the application. */
    readonly path?: string
    readonly button: string | false
    readonly isMain?: boolean
  },
): Html {
  const { sentence, values, facts, path = '', button, isMain = false } = task
  const { id, name } = application
  const link = html`<strong>${renderApplicationLink({ root, texts }, application)}</strong>`
  return renderItem(
    html`${fillIn<string | Html>(texts.tasks[sentence], { ...values, application: link })}`,
    facts,
    button !== false &&
      html`<a class="${isMain ? 'button' : 'action'}" href="${root}/applications/${id}${path}"
        >${button}<span class="unseen"> ${name}</span></a
      >`,
  )
}

/** What health and the features' checks find, asked once a minute at most. */
function createFindings(auth: Platform) {
  let asked = -Infinity
  let found: Promise<readonly (readonly [problem: string, fix: string | undefined])[]> = Promise.resolve([])
  async function ask() {
    const [{ problems }, findings] = await Promise.all([
      auth.health(),
      withTimeout(auth[PLATFORM_PARTS]!.diagnose(), CHECKS_MS, () => new Error('too slow')).catch(() => []),
    ])
    const serious = findings.filter(({ isNote }) => isNote !== true)
    return [
      ...problems.map((problem) => [problem, undefined] as const),
      ...serious.map(
        ({ option, problem, fix }) => [`${option === undefined ? '' : `${option} `}${problem}`, fix] as const,
      ),
    ]
  }
  return async () => {
    if (performance.now() - asked > HEALTH_MS) [asked, found] = [performance.now(), ask()]
    return found
  }
}

async function listFindings(find: ReturnType<typeof createFindings>, { may }: Visit): Promise<readonly Html[]> {
  const found = may('signingKeys.list') || may('emails.status') ? await find() : []
  return found.map(
    ([problem, fix]) =>
      html`<li>
        <h3>${problem}</h3>
        ${fix !== undefined && html`<p class="soft">${fix}</p>`}
      </li> `,
  )
}

async function listWaiting(site: Site, visit: Visit): Promise<readonly Html[]> {
  const { texts } = visit
  const { auth, core } = site
  const { items } = await auth.applications.list({ waiting: true, limit: SHOWN })
  const isDecided = (api: string): boolean => core.settings.apis.get(api)?.registration === 'manual'
  // Other pending applications wait for their first e-mail to arrive.
  return items
    .filter(({ accessRequests, apis }) => accessRequests.length > 0 || Object.keys(apis).some(isDecided))
    .flatMap(listRequests)
    .map(({ application, at, apis }) => {
      const titles = apis.map((api) => findTitle(site, api)).join(', ')
      return renderTask(visit, application, {
        sentence: 'waiting',
        values: { apis: titles },
        facts: [application.contact, renderAge(at, visit)],
        button: texts.decide,
        isMain: true,
      })
    })
}

function listRequests(application: Application) {
  const { status, createdAt, apis, accessRequests } = application
  const registration = status === 'pending' ? [{ application, at: createdAt, apis: Object.keys(apis) }] : []
  return [
    ...registration,
    ...accessRequests.map(({ api, requestedAt }) => ({ application, at: requestedAt, apis: [api] })),
  ]
}

async function listQuotas({ auth }: Site, visit: Visit): Promise<readonly Html[]> {
  const { texts, language, may } = visit
  if (!auth.plans || !may('plans.list')) return []
  const { items } = await auth.plans.list({ above: 80, limit: SHOWN })
  const { count, percent } = getFormats(language)
  return items.map(({ applicationId: id, name, plan, used, limit, share, endsAt }) => {
    const values = { share: percent.format(share / 100), limit: count.format(limit), plan }
    return renderTask(
      visit,
      { id, name },
      {
        sentence: 'quota',
        values: values,
        facts: [renderBar(texts.quotaUsed, used, limit), fillTime(texts.resets, endsAt, visit)],
        path: '/plan',
        button: may('plans.set') && texts.actions.plan,
      },
    )
  })
}

async function listRefusing({ auth }: Site, visit: Visit): Promise<readonly Html[]> {
  const { texts, language, may } = visit
  if (!auth.usage || !may('usage.totals')) return []
  const { items } = await auth.usage.totals({ sort: 'refused', limit: SHOWN })
  const { count, percent } = getFormats(language)
  return items
    .filter(({ refused, mean }) => refused > FEW_REFUSALS && refused > 2 * (mean?.refused ?? 0))
    .map(({ applicationId: id, name, refused, share, errors, mean }) => {
      const values = { count: count.format(refused), mean: count.format(Math.round(mean?.refused ?? 0)) }
      return renderTask(
        visit,
        { id, name },
        {
          sentence: 'refused',
          values: values,
          facts: [
            html`<span class="${share >= 10 && 'wrong'}"
              >${percent.format(share / 100)} ${texts.labels.refused.toLowerCase()}</span
            >`,
            renderErrors(errors, language),
          ],
          path: '#refusals',
          button: texts.show.refusals,
        },
      )
    })
}

/** E-mails whose last attempt failed, whether it was the last one or not. */
async function listUndelivered({ auth: { emails } }: Site, visit: Visit): Promise<readonly Html[]> {
  const { texts, may } = visit
  if (!emails || !may('emails.list')) return []
  const lists = await Promise.all((['failed', 'due'] as const).map((state) => emails.list({ state, limit: SHOWN })))
  return lists
    .flatMap(({ items }) => items)
    .filter(({ problem }) => problem !== undefined)
    .map(({ applicationId: id, name, purpose, problem, createdAt, state }) =>
      renderTask(
        visit,
        { id, name },
        {
          sentence: 'undelivered',
          values: { email: texts.purposes[purpose] },
          facts: [
            renderPill(texts.emailStates[state], state === 'failed' ? 'bad' : 'warn'),
            `${texts.labels.problem}: ${problem}`,
            renderAge(createdAt, visit),
          ],
          path: '/retryEmails',
          button: name !== '' && may('emails.retry') && texts.actions.retryEmails,
        },
      ),
    )
}

/** Credentials that end soon and are in use; not those in whose place a newer one is used already. */
async function listEnding({ auth }: Site, visit: Visit): Promise<readonly Html[]> {
  const { texts, now } = visit
  // What was never used, or long ago, does not take the place of what is.
  const [usedSince, expiringBefore] = [new Date(now - EXPIRY_MS), new Date(now + EXPIRY_MS)]
  const { items } = await auth.applications.list({ expiringBefore, usedSince, limit: 100 })
  const ending = items.flatMap((application) =>
    [application.keys, application.secrets].flatMap((list) =>
      list.flatMap((credential) => {
        const { name, expiresAt, lastUsedAt } = credential
        const isEnding = expiresAt && lastUsedAt && expiresAt.getTime() < now + EXPIRY_MS
        if (!isEnding || lastUsedAt.getTime() <= now - EXPIRY_MS || isReplaced(credential, list)) return []
        return [{ application, name, expiresAt, lastUsedAt }]
      }),
    ),
  )
  return ending.slice(0, SHOWN).map(({ application, name, expiresAt, lastUsedAt }) =>
    renderTask(visit, application, {
      sentence: 'ending',
      values: { name, age: renderAge(expiresAt, visit) },
      facts: [fillTime(texts.lastUsed, lastUsedAt, visit)],
      path: '#credentials',
      button: visit.may('applications.get') && texts.show.credential,
    }),
  )
}

/** A rotation leaves the name to the newer one, which lasts longer. */
function isReplaced({ name, expiresAt }: CredentialInfo, list: readonly CredentialInfo[]): boolean {
  return list.some((each) => each.name === name && each.lastUsedAt && (!each.expiresAt || each.expiresAt > expiresAt!))
}
