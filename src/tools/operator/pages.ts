import { answerAction } from './action-page.js'
import { createApplicationPage } from './application-page.js'
import { createApplicationsPage } from './applications-page.js'
import { answerAudit, answerEmails, answerKeys, answerReportOnly, answerUsage } from './lists.js'
import { createTodayPage } from './today-page.js'
import type { Answer, Page, Site, Visit } from './visit.js'

/** Finds the page of a path. */
export function createPages(site: Site): Page {
  const applications = createApplicationsPage(site)
  const application = createApplicationPage(site)
  const today = createTodayPage(site)
  return async function answerVisit(visit) {
    const { path, method } = visit
    if (path[0] === 'do' && path.length === 2) return answerAction(site, visit, path[1]!, undefined)
    if (path[0] === 'applications' && path.length === 3) return answerAction(site, visit, path[2]!, path[1])
    if (method === 'POST') return undefined
    if (path.length === 0) return today(visit)
    if (path[0] === 'applications' && path.length === 1) return applications(visit)
    if (path[0] === 'applications' && path.length === 2) return application(visit)
    return path.length === 1 ? answerList(site, visit, path[0]!) : undefined
  }
}

/** The lists that tabs lead to, some as a file too. */
async function answerList(site: Site, visit: Visit, name: string): Promise<Answer | undefined> {
  const { may } = visit
  const isFile = name.endsWith('.csv')
  const list = isFile ? name.slice(0, -'.csv'.length) : name
  if (list === 'audit' && may('audit.list')) return answerAudit(site, visit, isFile)
  if (list === 'usage' && may('usage.totals')) return answerUsage(site, visit, isFile)
  if (name === 'emails' && may('emails.status')) return answerEmails(site, visit)
  if (name === 'keys' && may('signingKeys.list')) return answerKeys(site, visit)
  return name === 'reportOnly' && may('usage.reportOnly') ? answerReportOnly(site, visit) : undefined
}
