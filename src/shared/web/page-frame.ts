import type { Language } from '../contracts/application-record.js'
import { html, type Html } from './html.js'
import type { PageBrand } from './page-brand.js'
import { de } from './texts/de.js'
import { en, type FrameTexts } from './texts/en.js'
import { es } from './texts/es.js'
import { fr } from './texts/fr.js'
import { renderThemeButton, THEME_SCRIPT } from './theme-switch.js'

export interface PageFrame {
  /** English, unless the page has words of the contact's language. */
  readonly language?: Language
  readonly title: string
  readonly brand: PageBrand
  readonly head: Html
  readonly bodyClass?: string | undefined
  readonly header: PageHeader
  /** Everything between header and footer, with the element `main`. */
  readonly content: Html
  /** The footer, besides the link to help. */
  readonly footer?: Html | false | undefined
  /** What stands behind the footer. */
  readonly end?: Html | false | undefined
}

/** The one header of all pages: brand, tabs, the state of the reader, and the switch of the theme. */
export interface PageHeader {
  /** Leads past many links, such as those of a sidebar; for the keyboard. */
  readonly skip?: PageLink
  /** Where the brand leads. Without the option `brand`, the label stands there. */
  readonly home?: PageLink | undefined
  readonly tabs?: readonly (PageTab | false | undefined)[]
  /** An authorization or a session. On phones it is in the menu, with the tabs. */
  readonly state?: Html | false | undefined
  /** A control that phones show beside the menu. */
  readonly control?: Html | false | undefined
}

interface PageLink {
  readonly href: string
  readonly label: string
}

interface PageTab extends PageLink {
  readonly isCurrent?: boolean
}

/** The words of the frame in each language, which are those of e-mails. */
export const FRAME_TEXTS: Readonly<Record<Language, FrameTexts>> = { en, de, fr, es }

/** A complete HTML document. The brand and the link to help are in landmarks, as all content of a page should be. */
export function renderFrame(frame: PageFrame): string {
  const { language = 'en', title, brand, head, bodyClass, header, content, footer = false, end = false } = frame
  const texts = FRAME_TEXTS[language]
  const help =
    brand.supportUrl !== undefined && html`<p class="help"><a href="${brand.supportUrl}">${texts.help}</a></p>`
  const { markup } = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
        <title>${title}</title>
        ${THEME_SCRIPT} ${head} ${brand.style}
      </head>
      <body${bodyClass !== undefined && html` class="${bodyClass}"`}>
        ${renderHeader(header, brand, texts)} ${content}
        ${(footer || help) && html`<footer>${footer} ${help}</footer>`} ${end}
      </body>
    </html> `
  return markup
}

function renderHeader(
  { skip, home, tabs = [], state, control }: PageHeader,
  brand: PageBrand,
  texts: FrameTexts,
): Html {
  const shown = tabs.filter((tab) => typeof tab === 'object')
  return html`<header class="bar">
    ${skip && html`<a class="skip" href="${skip.href}">${skip.label}</a>`}
    ${home ? html`<a class="home" href="${home.href}">${brand.renderName(home.label)}</a>` : html`<span class="home">${brand.renderName(texts.developers)}</span>`}
    ${
      (shown.length > 0 || state) &&
      html`<details class="more">
        <summary class="icon" aria-label="${texts.menu}">&#9776;</summary>
        <div>
          <nav aria-label="${texts.menu}">
            ${shown.map(({ href, label, isCurrent = false }) => html`<a href="${href}" ${isCurrent && html` aria-current="page"`}>${label}</a> `)}
          </nav>
          ${state}
        </div>
      </details>`
    }
    ${control} ${renderThemeButton(texts.switchTheme)}
  </header>`
}
