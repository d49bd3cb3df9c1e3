import { html, type Html } from '../../../web/html.js'
import { ownMembers } from '../../../lib/own-members.js'
import { renderCsrf, type RenderPortalPage } from '../pages/page.js'
import type { Visitor } from './session.js'

/** The pages of the sign-in, and of invitations. */
export interface SignInPages {
  /** Asks for the contact's address. With `problem` it was refused. */
  renderRequest(visitor: Visitor, refused?: RefusedRequest): string
  /** Asks for the code: the same text for every address, so that it does not show which are known. */
  renderCode(
    visitor: Visitor,
    sent: { readonly id: string; readonly contact?: string; readonly problem?: string },
  ): string
  /** `GET` of a link in an e-mail: only a click sends its token. */
  renderLink(kind: LinkKind, visitor: Visitor): string
  /** The page without scripts, where the link can be pasted again. */
  renderInvitationRefused(visitor: Visitor, problem: string): string
  /** The page after an invitation was accepted. */
  renderAccepted(visitor: Visitor, accepted: { readonly applicationName: string; readonly contact: string }): string
  /** A problem, without a form. */
  renderProblem(heading: string, problem: string, visitor?: Visitor): string
  renderNotFound(visitor: Visitor): string
}

interface RefusedRequest {
  readonly contact?: string
  readonly problem: string
}

type LinkKind = keyof typeof LINKS

const LINKS = {
  'sign-in': {
    heading: 'Sign in',
    action: 'sign-in/link',
    text: 'The link from your e-mail is valid once.',
    button: 'Sign in',
  },
  invitation: {
    heading: 'Accept an invitation',
    action: 'invitation',
    text: 'You become a contact of the application: you can manage its credentials, and others see your e-mail address.',
    button: 'Accept',
  },
} as const

export function createSignInPages(renderPage: RenderPortalPage, root: string): SignInPages {
  return {
    renderRequest({ csrf, session }, refused) {
      const { contact, problem }: Partial<RefusedRequest> = ownMembers(refused ?? {})
      return renderPage('Sign in', { session, error: problem, content: renderRequestForm(root, csrf, contact) })
    },
    renderCode({ csrf, session }, sent) {
      const { id, contact, problem } = ownMembers(sent)
      return renderPage('Check your e-mail', {
        session,
        error: problem,
        content: renderCodeForm(root, csrf, { id, contact }),
      })
    },
    renderLink(kind, { csrf, session }) {
      const { heading, action, text, button } = LINKS[kind]
      const content = html`<form id="confirm" method="post" action="${root}/${action}" hidden>
          ${renderCsrf({ csrf })}<input type="hidden" id="token" name="token" />
          <p>${text}</p>
          <button>${button}</button>
        </form>
        <p id="incomplete" hidden>The link is not complete. Copy the whole address from the e-mail.</p>
        <noscript>${kind === 'invitation' ? renderPasteForm(root, csrf) : WITHOUT_SCRIPTS}</noscript>
        ${kind === 'sign-in' && html`<p><a href="${root}">Ask for a new link</a></p>`}`
      return renderPage(heading, { session, content, script: 'fragment' })
    },
    renderInvitationRefused: ({ csrf, session }, problem) =>
      renderPage(LINKS.invitation.heading, {
        session,
        error: problem,
        content: html`<noscript>${renderPasteForm(root, csrf)}</noscript>
          <p><a href="${root}">My applications</a></p>`,
      }),
    renderAccepted: ({ session }, { applicationName, contact }) =>
      renderPage('You are a contact now', {
        session,
        content: html`<p>
            ${contact} is a contact of the application <strong>${applicationName}</strong> now. Sign in with this
            address to manage it.
          </p>
          <p><a href="${root}">My applications</a></p>`,
      }),
    renderProblem: (heading, problem, visitor) =>
      renderPage(heading, {
        session: visitor?.session,
        error: problem,
        content: html`<p><a href="${root}">My applications</a></p>`,
      }),
    renderNotFound: ({ session }) =>
      renderPage('Not found', {
        session,
        content: html`<p>There is no such page, or it is not one of <a href="${root}">your applications</a>.</p>`,
      }),
  }
}

const WITHOUT_SCRIPTS = html`<p>
  This link needs JavaScript. Without it, enter the code from the e-mail on the page where you asked for it.
</p>`

/** The page of an invitation, which has no code: without scripts, the page cannot read the secret part of the link. */
function renderPasteForm(root: string, csrf: string): Html {
  return html`<form method="post" action="${root}/invitation">
    ${renderCsrf({ csrf })}
    <p>${LINKS.invitation.text}</p>
    <div class="field">
      <label for="pasted">Link from the e-mail</label>
      <input
        id="pasted"
        name="token"
        required
        maxlength="4096"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="pasted-hint"
      />
      <p class="hint" id="pasted-hint">This browser runs no scripts. Copy the whole link, and paste it here.</p>
    </div>
    <button>${LINKS.invitation.button}</button>
  </form>`
}

/**
 * The URL has a query, because the link in the e-mail, opened in the same tab, would otherwise only change the fragment of the
 * answer's URL.
 */
function renderRequestForm(root: string, csrf: string, contact: string | undefined): Html {
  return html`<p>
      Enter an e-mail address that is a contact of your applications, such as the one that their credentials were sent
      to. We send a link and a code to it.
    </p>
    <form method="post" action="${root}/sign-in?sent" novalidate>
      ${renderCsrf({ csrf })}
      <div class="field">
        <label for="contact">E-mail address</label>
        <input
          id="contact"
          name="contact"
          value="${contact ?? ''}"
          type="email"
          required
          maxlength="254"
          autocomplete="email"
          ${contact !== undefined && html`aria-invalid="true"`}
        />
      </div>
      <button>Send the e-mail</button>
    </form>`
}

function renderCodeForm(
  root: string,
  csrf: string,
  { id, contact }: { readonly id: string; readonly contact: string | undefined },
): Html {
  return html`${
      contact !== undefined &&
      html`<p>
        If <strong>${contact}</strong> is a contact of an application, we send a link and a code to it now. Both are
        valid for 15 minutes. Open the link, or enter the code here.
      </p>`
    }
    <form method="post" action="${root}/sign-in/code" novalidate>
      ${renderCsrf({ csrf })}<input type="hidden" name="id" value="${id}" />
      <div class="field">
        <label for="code">Code from the e-mail</label>
        <input
          id="code"
          name="code"
          required
          maxlength="20"
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck="false"
          aria-describedby="code-hint"
        />
        <p class="hint" id="code-hint">8 letters, such as BCDF-GHJK</p>
      </div>
      <button>Sign in</button>
    </form>
    <p>
      No e-mail? Look among unwanted e-mails, or <a href="${root}">try another address</a>. An address gets at most 5
      e-mails an hour.
    </p>`
}
