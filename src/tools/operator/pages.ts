import type { CallName } from '../operations/operator-calls.js'
import { answerAction } from './action-page.js'
import { answerApplication } from './application-page.js'
import { answerApplications } from './applications-page.js'
import { answerAudit, answerEmails, answerKeys, answerReportOnly } from './lists.js'
import { answerPreview } from './preview-page.js'
import { createTodayPage } from './today-page.js'
import { readField } from '../../core/http/form.js'
import { readPostedSearch } from './search-form.js'
import { answerUsage, answerUsageFile } from './usage-page.js'
import type { Answer, Page, Site, Visit } from './visit.js'

/** Finds the page of a path. */
export function createPages(site: Site): Page {
  const lists: Readonly<Record<string, readonly [right: CallName, answer: Answerer]>> = {
    '': ['applications.list', createTodayPage(site)],
    applications: ['applications.list', (visit) => answerApplications(site, visit)],
    usage: ['usage.totals', (visit) => answerUsage(site, visit)],
    'usage.csv': ['usage.totals', (visit) => answerUsageFile(site, visit, 'applications')],
    'usage-days.csv': ['usage.overall', (visit) => answerUsageFile(site, visit, 'days')],
    'usage-routes.csv': ['usage.overallRoutes', (visit) => answerUsageFile(site, visit, 'routes')],
    emails: ['emails.list', (visit) => answerEmails(site, visit)],
    preview: ['emails.list', (visit) => answerPreview(site, visit, false)],
    'preview.html': ['emails.list', (visit) => answerPreview(site, visit, true)],
    keys: ['signingKeys.list', (visit) => answerKeys(site, visit)],
    audit: ['audit.list', (visit) => answerAudit(site, visit, false)],
    'audit.csv': ['audit.list', (visit) => answerAudit(site, visit, true)],
    reportOnly: ['usage.reportOnly', (visit) => answerReportOnly(site, visit)],
  }
  return async function answerVisit(visit) {
    const { path, method, may } = visit
    const [first = '', second, third, ...others] = path
    if (others.length > 0) return undefined
    if (first === 'do' && second !== undefined && third === undefined)
      return answerAction(site, visit, second, undefined)
    if (first === 'applications' && third !== undefined) return answerAction(site, visit, third, second)
    if (method === 'GET' && first === 'applications' && second !== undefined)
      return may('applications.get') ? answerApplication(site, visit) : undefined
    const [right, answer] = (second === undefined && Object.hasOwn(lists, first) && lists[first]) || []
    if (right === undefined || !may(right) || !answer) return undefined
    if (method === 'GET') return answer(visit)
    return first === 'applications' || first === 'audit' ? answerSearch(first, visit, answer) : undefined
  }

  /** Leads to the address of what was found or typed. What could be a credential gets the list without an address. */
  async function answerSearch(tab: 'applications' | 'audit', visit: Visit, answer: Answerer) {
    const { query, isPublic } = readPostedSearch(visit)
    const owner = tab === 'applications' && (await findOwner(site, readField(visit.fields, 'q')))
    if (owner) query.set('q', owner.id)
    return isPublic || owner ? { redirect: `/${tab}?${query.toString()}` } : answer({ ...visit, query })
  }
}

/** Finds the application of a whole key that the platform knows by its own hash. */
async function findOwner({ core }: Site, typed: string): Promise<{ readonly id: string } | undefined> {
  const hash = (await core.opened()).hashKey(typed)
  return hash === undefined ? undefined : core.store.findApplicationByKey(hash)
}

type Answerer = (visit: Visit) => Promise<Answer | undefined>
