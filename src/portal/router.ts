import { parsePath, type Middleware } from '../http/middleware.js'
import { sendPage } from '../http/respond.js'
import { CONTENT_SECURITY_POLICY, createPageRenderer } from './page.js'
import { createPortalPages } from './pages.js'
import { renderSignInPage } from './sign-in-pages.js'

interface PortalRouterOptions {
  readonly developersUrl: string
}

/** `auth.portalRouter`: contacts sign in and manage their applications. */
export function createPortalRouter({ developersUrl }: PortalRouterOptions): Middleware {
  const root = `${new URL(developersUrl).pathname.replace(/\/$/, '')}/applications`
  const renderPage = createPageRenderer({ root, developersUrl })
  createPortalPages({ renderPage, root })

  return function portalRouter(req, res, next) {
    if (req.method !== 'GET' || parsePath(req.url ?? '/') !== '/') return next()
    sendPage(res, 200, renderSignInPage(renderPage, { root, csrf: '' }), CONTENT_SECURITY_POLICY)
  }
}
