import type { Language } from '../../shared/contracts/application-record.js'
import { createSealedTexts } from '../../shared/lib/sealed-text.js'
import { fillHtml, html } from '../../shared/web/html.js'
import { renderEmpty } from '../../shared/web/parts.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderPage, type PageLinks } from '../../shared/web/public-page.js'
import { describeDecisionTime } from './form-page.js'
import { TEXTS } from './texts/languages.js'

interface Registered {
  readonly contact: string
  readonly isHeld: boolean
}

/** `GET /thanks`. It says only what its reader has entered, so that it does not show which contacts are known. */
export function renderThanksPage(
  language: Language,
  registered: Registered | undefined,
  links: PageLinks,
  decisionDays: number | undefined,
): string {
  const texts = TEXTS[language]
  const { portalUrl, developersUrl } = links
  const text = fillHtml(registered?.isHeld ? texts.held : texts.received, {
    within: describeDecisionTime(decisionDays, texts),
    contact: registered ? html`<strong>${registered.contact}</strong>` : texts.givenContact,
  })
  const link = html`<a href="${portalUrl}">${FRAME_TEXTS[language].myApplications}</a>`
  const manage = portalUrl !== undefined && html`<p>${texts.manage} ${link}.</p>`
  const done = renderEmpty(
    { isGood: true },
    html`<p>${text}</p>
      <p>${texts.missingEmail}</p>
      ${manage}
      ${developersUrl !== undefined && html`<p class="actions"><a class="button" href="${developersUrl}">${FRAME_TEXTS[language].readReference}</a></p>`}`,
  )
  return renderPage(texts.thanks, links, html`<div class="box">${done}</div>`, { language })
}

/** How long the page names the address: whoever finds its link in the history of a shared computer learns nothing. */
const NAMED_FOR_MS = 10 * 60_000

/** The query of the page's link. It is sealed, because logs and histories keep links. */
export function createThanksLinks(getKey: () => Uint8Array, now: () => number) {
  const sealed = createSealedTexts(getKey, 'registered')
  return {
    format: ({ contact, isHeld }: Registered): string =>
      `?for=${sealed.seal(JSON.stringify([contact, isHeld, now()]))}`,
    /** Undefined for a link that is older, or was not made here. */
    read(url: string): Registered | undefined {
      const [, text] = /[?&]for=([\w-]{1,1000})(?:&|$)/.exec(url) ?? []
      const opened = text === undefined ? undefined : sealed.open(text)
      if (opened === undefined) return undefined
      const [contact, isHeld, at] = JSON.parse(opened) as [string, boolean, number]
      return now() < at + NAMED_FOR_MS ? { contact, isHeld } : undefined
    },
  }
}
