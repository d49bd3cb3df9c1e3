import { retryAfter } from '../../../shared/contracts/denial.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { PortalAnswer, PortalRequest } from '../request.js'
import { renderActionForm, type ActionPage, type FormProblem } from './action-page.js'
import type { PortalPage, RenderPortalPage } from './page.js'
import type { ApplicationView } from './view.js'

export interface PagesOfApplication {
  show(view: ApplicationView, heading: string, page: Omit<PortalPage, 'session' | 'language'>): string
  /** The form, again with the contact's input if it was refused. */
  showForm(
    view: ApplicationView,
    page: ActionPage,
    entered: PortalRequest['fields'],
    problem?: FormProblem,
  ): PortalAnswer
  /** A form that was sent twice, or too late. */
  showStale(view: ApplicationView): PortalAnswer
  /** Going back in the browser leads to the page of a credential that was replaced meanwhile. */
  showNotFound(view: ApplicationView): PortalAnswer
}

export function createPagesOfApplication(renderPage: RenderPortalPage): PagesOfApplication {
  const show: PagesOfApplication['show'] = ({ session, texts }, heading, page) =>
    renderPage(heading, { session, language: texts.language, ...page })

  return {
    show,
    showForm(view, action, entered, problem) {
      const error = problem && { text: problem.message, field: problem.field }
      const content = renderActionForm(view, action, entered, error)
      const page = show(view, action.heading, { content, error, script: 'form' })
      if (!problem) return { status: 200, page }
      const { retryAfter: seconds } = problem
      return seconds === undefined ? { status: 400, page } : { status: 429, page, headers: retryAfter(seconds) }
    },
    showStale(view) {
      const { unchanged, unchangedBecause } = view.texts
      return { status: 409, page: show(view, unchanged, { content: renderWayBack(view, unchangedBecause) }) }
    },
    showNotFound(view) {
      const { notFound, noPageOf } = view.texts
      return {
        status: 404,
        page: show(view, notFound, { content: renderWayBack(view, fillText(noPageOf, { name: view.record.name })) }),
      }
    },
  }
}

function renderWayBack({ record, link, texts }: ApplicationView, text: string): Html {
  return html`<p>${text}</p>
    <p class="actions"><a class="button" href="${link(record.id)}">${texts.showApplication}</a></p>`
}
