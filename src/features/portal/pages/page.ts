import type { Language } from '../../../shared/contracts/application-record.js'
import { html, keepWhole, type Html } from '../../../shared/web/html.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import type { PageBrand } from '../../../shared/web/page-brand.js'
import { CONTENTS_SCRIPT, createDeveloperHeader, FRAME_TEXTS, renderFrame } from '../../../shared/web/page-frame.js'
import { formatPagePolicy } from '../../../shared/web/frame-script.js'
import { TEXTS, type PortalTexts } from '../texts/languages.js'
import type { PortalSession } from '../sign-in/session.js'
import { ISSUED_STYLE, STYLE } from './style.js'
import { FORM_SCRIPT } from '../../../shared/web/form-script.js'

export interface PortalPage {
  readonly session: PortalSession | undefined
  readonly language: Language
  readonly content: Html
  /** The pages that it is below, besides that of all applications; undefined where nobody is signed in, and on that page itself. */
  readonly path?: readonly Html[] | undefined
  readonly beside?: Html | false | undefined
  /** A page of lists. Those of forms and texts are narrower. */
  readonly isWide?: boolean | undefined
  /** The title, which is announced first, says so. */
  readonly isError?: boolean | undefined
  readonly script?: keyof typeof SCRIPTS | undefined
  /** The page of a new credential. */
  readonly isIssued?: boolean | undefined
}

export type RenderPortalPage = (heading: string, page: PortalPage) => string

/** `root`: the path of the list of applications, without a slash at its end. Links begin with it. */
export function createPageRenderer(root: string, developersUrl: string, brand: PageBrand): RenderPortalPage {
  return function renderPortalPage(heading, page) {
    const {
      session,
      language,
      content,
      path,
      beside,
      isWide = false,
      isError = false,
      isIssued = false,
      script,
    } = ownMembers(page)
    return renderFrame({
      language,
      title: heading,
      isError,
      brand,
      head: { markup: `<style>${STYLE}</style>${isIssued ? `<style>${ISSUED_STYLE}</style>` : ''}` },
      header: {
        ...createDeveloperHeader(developersUrl, { portal: true }, { language, tab: 'myApplications' }),
        state: session && renderSignOut(root, session, TEXTS[language]),
      },
      content: keepWhole(
        html`<main${!isWide && html` class="form"`}>
          ${path && html`<div class="crumb"><a href="${root}">${FRAME_TEXTS[language].myApplications}</a>${path}</div>`}
          <div class="head">
            <h1>${heading}</h1>
            ${beside}
          </div>
          ${content}
        </main>`,
      ),
      end: script && { markup: `<script>${SCRIPTS[script]}</script>` },
    })
  }
}

/** The style sheet shows the notice that a redirect names in its fragment. */
export function renderFlash(id: keyof PortalTexts['notices'], { notices }: PortalTexts): Html {
  return html`<p class="notice good flash" id="${id}" tabindex="-1">${notices[id]}</p> `
}

/** What is said where an application is not among the contact's any more. */
export function renderLeft(texts: PortalTexts): Html {
  return html`${(['deleted', 'left', 'withdrawn'] as const).map((id) => renderFlash(id, texts))}`
}

export function renderCsrf({ csrf }: Pick<PortalSession, 'csrf'>): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}" />`
}

function renderSignOut(root: string, session: PortalSession, { signOut }: PortalTexts): Html {
  return html`<form class="signed-in" method="post" action="${root}/sign-out">
    ${renderCsrf(session)}
    <span>${session.contact}</span>
    <button class="quiet">${signOut}</button>
  </form>`
}

export function formatContentSecurityPolicy(): string {
  return formatPagePolicy([STYLE, ISSUED_STYLE], [...Object.values(SCRIPTS), CONTENTS_SCRIPT], "connect-src 'none'")
}

/** The scripts of the portal. Every page works without them, except those that read the fragment of a link. */
const SCRIPTS = {
  /** Moves the token from the link's fragment into the form, so that only a click sends it. */
  fragment: `const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
if (token) {
  document.getElementById('token').value = token
  document.getElementById('confirm').hidden = false
} else {
  document.getElementById('incomplete').hidden = false
}
addEventListener('hashchange', () => location.reload())
`,
  /** Pages with forms, and with a new credential. */
  form: FORM_SCRIPT,
}
