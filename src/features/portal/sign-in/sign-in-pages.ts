import type { Denial } from '../../../shared/contracts/denial.js'
import type { Language } from '../../../shared/contracts/application-record.js'
import { describeRefusal } from '../../../shared/web/describe-refusal.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { renderEmpty } from '../../../shared/web/parts.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { renderInputField, renderProblem, type Problem } from '../../../shared/web/form-field.js'
import { renderCsrf, renderLeft, type RenderPortalPage } from '../pages/page.js'
import { TEXTS, type PortalTexts } from '../texts/languages.js'
import type { PageVisitor } from '../exchange.js'

export type SignInPages = ReturnType<typeof createSignInPages>

interface RefusedRequest {
  readonly contact?: string
  readonly problem: Problem
}

type LinkKind = 'sign-in' | 'invitation'

export function createSignInPages(renderPage: RenderPortalPage, root: string, registerUrl: string | undefined) {
  const renderLink = (text: string): Html => html`<a href="${root}">${text}</a>`
  const renderBox = (content: Html | false, language: Language): Html =>
    html`<div class="box">
      ${content}
      <p class="actions"><a class="button" href="${root}">${FRAME_TEXTS[language].myApplications}</a></p>
    </div>`

  function renderRefusal(heading: string, text: string, language: Language, visitor?: PageVisitor, further?: Html) {
    const problem = html`<p role="alert" tabindex="-1" autofocus>${text}</p>`
    const content = html`${renderBox(renderEmpty({ drawing: 'alert' }, problem), language)} ${further}`
    return renderPage(heading, { session: visitor?.session, language, isError: true, content })
  }

  return {
    renderRequest({ csrf, session, language }: PageVisitor, refused?: RefusedRequest): string {
      const { contact, problem }: Partial<RefusedRequest> = ownMembers(refused ?? {})
      const texts = TEXTS[language]
      const register = html`<a href="${registerUrl}">${FRAME_TEXTS[language].register}</a>`
      const entered = html`value="${contact}" type="email" required maxlength="254"
      autocomplete="email"${problem === undefined && html` autofocus`}`
      // With a query: otherwise the link in the e-mail, opened in the same tab, would only change the fragment.
      const content = html`${renderLeft(texts)} ${problem && renderProblem(problem)}
        <p class="intro">${texts.askForLink}</p>
        <form method="post" action="${root}/sign-in?sent" novalidate>
          ${renderCsrf({ csrf })} ${renderInputField({ id: 'contact', label: texts.address, problem }, entered)}
          <p class="actions"><button>${texts.sendEmail}</button></p>
        </form>
        ${registerUrl !== undefined && html`<p>${fillHtml(texts.noApplication, { link: register })}</p>`}`
      return renderPage(texts.signIn, { session, language, isError: problem !== undefined, content })
    },
    /** Asks for the code: the same text for every address, so that it does not show which are known. */
    renderCode(
      { csrf, session, language }: PageVisitor,
      sent: { readonly id: string; readonly contact?: string | undefined; readonly isRefused?: boolean },
    ): string {
      const { id, contact, isRefused } = ownMembers(sent)
      const texts = TEXTS[language]
      const problem = isRefused ? { text: texts.codeRefused, field: 'code' } : undefined
      const field = { id: 'code', label: texts.code, hint: texts.codeHint, problem }
      const isCode = html`required maxlength="20" autocomplete="one-time-code" autocapitalize="characters"
      spellcheck="false"`
      const content = html`${contact !== undefined && html`<p class="intro">${fillHtml(texts.sent, { contact: html`<strong>${contact}</strong>` })}</p>`}
        <form method="post" action="${root}/sign-in/code" novalidate>
          ${renderCsrf({ csrf })}<input type="hidden" name="id" value="${id}" />
          <input type="hidden" name="contact" value="${contact}" />
          ${renderInputField(field, isCode)}
          <p class="actions"><button>${texts.signIn}</button></p>
        </form>
        <p>${fillHtml(texts.noEmail, { link: renderLink(texts.otherAddress) })}</p>`
      return renderPage(texts.checkEmail, { session, language, isError: isRefused, content })
    },
    /** `GET` of a link in an e-mail: only a click sends its token. */
    renderLink(kind: LinkKind, { csrf, session, language }: PageVisitor): string {
      const texts = TEXTS[language]
      const isInvitation = kind === 'invitation'
      const content = html`<form
          id="confirm"
          method="post"
          action="${root}/${isInvitation ? 'invitation' : 'sign-in/link'}"
          hidden
        >
          ${renderCsrf({ csrf })}<input type="hidden" id="token" name="token" />
          <p>${isInvitation ? texts.invitationMeans : texts.linkIsValidOnce}</p>
          <p class="actions"><button>${isInvitation ? texts.accept : texts.signIn}</button></p>
        </form>
        <p id="incomplete" hidden>${texts.linkIncomplete}</p>
        <noscript>
          ${isInvitation ? renderPasteForm(root, csrf, undefined, texts) : html`<p>${texts.linkNeedsScripts}</p>`}
        </noscript>
        ${!isInvitation && html`<p class="alone">${renderLink(texts.newLink)}</p>`}`
      const heading = isInvitation ? texts.invitation : texts.signIn
      return renderPage(heading, { session, language, content, script: 'fragment' })
    },
    /** The page without scripts, where the link can be pasted again. */
    renderInvitationRefused(visitor: PageVisitor): string {
      const texts = TEXTS[visitor.language]
      const text = texts.invitationRefused
      const form = html`<noscript>${renderPasteForm(root, visitor.csrf, { text, field: 'pasted' }, texts)}</noscript>`
      return renderRefusal(texts.cannotAccept, text, visitor.language, visitor, form)
    },
    renderAccepted(
      { session, language }: PageVisitor,
      { applicationName, contact }: { readonly applicationName: string; readonly contact: string },
    ): string {
      const texts = TEXTS[language]
      const application = html`<strong>${applicationName}</strong>`
      const text = html`<p>${fillHtml(texts.acceptedBy, { contact, application })}</p>`
      const content = renderBox(renderEmpty({ isGood: true }, text), language)
      return renderPage(texts.accepted, { session, language, content })
    },
    renderOutOfDate(visitor: PageVisitor): string {
      const { outOfDate, loadAgain } = TEXTS[visitor.language]
      return renderRefusal(outOfDate, loadAgain, visitor.language, visitor)
    },
    renderFailure(language: Language, denied: Denial): string {
      const texts = TEXTS[language]
      return renderRefusal(texts.failed, describeRefusal(denied, texts.refused, language), language)
    },
    renderNotFound({ session, language }: PageVisitor): string {
      const texts = TEXTS[language]
      const content = renderBox(renderEmpty({ title: texts.noPage, drawing: 'search' }), language)
      return renderPage(texts.notFound, { session, language, content })
    },
  }
}

/** The page of an invitation, which has no code: without scripts, the page cannot read the secret part of the link. */
function renderPasteForm(root: string, csrf: string, problem: Problem | undefined, texts: PortalTexts): Html {
  const field = { id: 'pasted', name: 'token', label: texts.pastedLink, hint: texts.pastedHint, problem }
  return html`<form method="post" action="${root}/invitation">
    ${renderCsrf({ csrf })}
    <p>${texts.invitationMeans}</p>
    ${renderInputField(field, html`required maxlength="4096" autocomplete="off" spellcheck="false"`)}
    <p class="actions"><button>${texts.accept}</button></p>
  </form>`
}
