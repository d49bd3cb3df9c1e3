import { answerAction } from './action-page.js'
import { createApplicationPage } from './application-page.js'
import { createApplicationsPage } from './applications-page.js'
import type { Page, Site } from './visit.js'

/** Finds the page of a path. */
export function createPages(site: Site): Page {
  const applications = createApplicationsPage(site)
  const application = createApplicationPage(site)
  return async function answerVisit(visit) {
    const { path, method } = visit
    if (path[0] === 'do' && path.length === 2) return answerAction(site, visit, path[1]!, undefined)
    if (path[0] === 'applications' && path.length === 3) return answerAction(site, visit, path[2]!, path[1])
    if (method === 'POST') return undefined
    if (path.length === 0) return { redirect: '/applications' }
    if (path[0] === 'applications' && path.length === 1) return applications(visit)
    if (path[0] === 'applications' && path.length === 2) return application(visit)
    return undefined
  }
}
