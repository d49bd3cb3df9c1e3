import type { PortalPages } from './request.js'
import type { RenderPortalPage } from './page.js'

interface PortalPagesOptions {
  readonly renderPage: RenderPortalPage
  /** The path of the list of applications, without a slash at its end. Links begin with it. */
  readonly root: string
}

/** The pages of contacts who are signed in. */
export function createPortalPages({ renderPage }: PortalPagesOptions): PortalPages {
  return async function answerContact({ path, session }) {
    if (path.length > 0) return undefined
    return { status: 200, page: renderPage('My applications', { session, content: { markup: '' } }) }
  }
}
