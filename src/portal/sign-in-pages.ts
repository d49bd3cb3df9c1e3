import { html } from '../lib/html.js'
import { renderCsrf, type RenderPortalPage } from './page.js'

/** What the page shows again after the form was refused. */
interface RefusedForm {
  /** What was entered. */
  readonly contact: string
  readonly problem: string
}

/** Asks for the contact's address. */
export function renderSignInPage(
  renderPage: RenderPortalPage,
  { root, csrf, refused }: { readonly root: string; readonly csrf: string; readonly refused?: RefusedForm | undefined },
): string {
  return renderPage('Sign in', {
    session: undefined,
    error: refused?.problem,
    content: html`<p>Enter the e-mail address at which you receive the credentials of your applications. We send a link and a code to it.</p>
      <form method="post" action="${root}/sign-in" novalidate>
        ${renderCsrf({ csrf })}
        <div class="field">
          <label for="contact">E-mail address</label>
          <input
            id="contact"
            name="contact"
            value="${refused?.contact ?? ''}"
            type="email"
            required
            maxlength="254"
            autocomplete="email"
            ${refused && html`aria-invalid="true"`}
          />
        </div>
        <button>Send the link</button>
      </form>`,
  }) // prettier-ignore
}
