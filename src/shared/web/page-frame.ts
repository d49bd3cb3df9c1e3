import { AsyncLocalStorage } from 'node:async_hooks'
import type { Language } from '../contracts/application-record.js'
import { fillText } from '../lib/fill-in.js'
import { html, type Html } from './html.js'
import type { PageBrand } from './page-brand.js'
import de from './texts/de.json' with { type: 'json' }
import { en, type FrameTexts } from './texts/en.js'
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import { renderThemeButton, FRAME_SCRIPT } from './frame-script.js'

export interface PageFrame {
  /** English, unless the page has words of the contact's language. */
  readonly language?: Language
  readonly title: string
  /** The title, which is announced first, says so. */
  readonly isError?: boolean
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
  readonly home?: (PageLink & { readonly role?: string | false }) | undefined
  readonly tabs?: readonly (PageTab | false | undefined)[] | undefined
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

/** The pages that the console serves: all of them name each other in the header. */
export interface DeveloperPages {
  /** The console's title. */
  readonly title?: string | undefined
  /** The path of the first guide, and of the changelog. */
  readonly guides?: string | undefined
  readonly changelog?: string | undefined
  readonly portal: boolean
  readonly registration: boolean
  /** The address of a first call by the name of its API; none where each operation of its document needs values. */
  readonly firstCalls?: ReadonlyMap<string, string>
}

export type DeveloperTab = 'referenceTab' | 'guides' | 'changelogTab' | 'myApplications' | 'register'

/** Features know nothing of the console. It says for each request to them which pages there are. */
const pagesAround = new AsyncLocalStorage<DeveloperPages>()

/** Serves a request to a feature, whose page then has the console's title and tabs. */
export function withDeveloperPages<Result>(pages: DeveloperPages, serve: () => Result): Result {
  return pagesAround.run(pages, serve)
}

/** The address of a first call to the API of that name. Without the console none is known: `other`. */
export function findFirstCall(name: string, other: string): string | undefined {
  const pages = pagesAround.getStore()
  return pages ? pages.firstCalls?.get(name) : other
}

/** The header of a page of a feature below `developersUrl`. Without the console it names what the feature knows. */
export function createDeveloperHeader(
  developersUrl: string | undefined,
  known: Pick<DeveloperPages, 'portal'>,
  { language, tab }: { readonly language: Language; readonly tab?: DeveloperTab | undefined },
): Pick<PageHeader, 'home' | 'tabs'> {
  if (developersUrl === undefined) return {}
  const pages = pagesAround.getStore() ?? { ...known, registration: false }
  const link = (path: string): string => (path === '' ? developersUrl : `${developersUrl}/${path}`)
  return {
    home: { href: developersUrl, label: pages.title ?? FRAME_TEXTS[language].developers },
    tabs: listDeveloperTabs(pages, { link, language, tab }),
  }
}

export function listDeveloperTabs(
  { guides, changelog, portal, registration }: DeveloperPages,
  page: {
    readonly link: (path: string) => string
    readonly language: Language
    readonly tab?: DeveloperTab | undefined
  },
): readonly (PageTab | false | undefined)[] {
  const createTab = (tab: DeveloperTab, path: string | undefined): PageTab | false =>
    path !== undefined && { href: page.link(path), label: FRAME_TEXTS[page.language][tab], isCurrent: tab === page.tab }
  return [
    createTab('referenceTab', ''),
    createTab('guides', guides),
    createTab('changelogTab', changelog),
    portal && createTab('myApplications', 'applications'),
    registration && createTab('register', 'register'),
  ]
}

/** A complete HTML document. The brand and the link to help are in landmarks, as all content of a page should be. */
export function renderFrame(frame: PageFrame): string {
  const { language = 'en', title, isError = false, brand, head, bodyClass, header, content, footer, end } = frame
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
        <title>${isError ? fillText(texts.error, { heading: title }) : title}</title>
        ${FRAME_SCRIPT} ${head} ${brand.style}
      </head>
      <body${bodyClass !== undefined && html` class="${bodyClass}"`}>
        ${renderHeader(header, brand, texts)} ${content}
        ${(footer || help) && html`<footer>${footer} ${help}</footer>`} ${end}
      </body>
    </html> `
  return markup
}

/** The parts of a long page, as links: on phones a bar that stays below the header. */
export const CONTENTS_CSS = `.contents { position: sticky; top: 3.5rem; z-index: 2; display: flex; overflow-x: auto; margin: 0 -1rem var(--space-4); padding: 0 .5rem; border-bottom: 1px solid var(--line); background: var(--ground); font-size: .875rem; font-weight: 500; white-space: nowrap; scroll-target-group: auto; --ground: light-dark(#f6f8fa, #0f1318) }
.contents::after { content: ''; position: sticky; right: -.5rem; flex: 1 0 2rem; margin-left: -.5rem; background: linear-gradient(90deg, transparent, var(--ground) 1.5rem); pointer-events: none }
.contents a { flex: none; padding: var(--space-2); text-align: center; border-bottom: 2px solid transparent; color: var(--soft); &:hover { color: var(--ink) } &:focus-visible { outline-offset: -2px; border-radius: var(--corner-control) } &:target-current { border-color: var(--accent); color: var(--ink) } }
`

/** Keeps the link of the part that is read in sight. A browser that does not know which one it is finds none; others know it some frames later. */
export const CONTENTS_SCRIPT = `addEventListener('scrollend', () => setTimeout(() => {
  const link = document.querySelector('.contents :is(:target-current)')
  link?.parentNode.scrollTo(link.offsetLeft - 48, 0)
}, 99))
`

export function renderContents(
  parts: readonly (readonly [id: string, title: string, ...unknown[]])[],
  { language }: { readonly language: Language },
): Html {
  return html`<nav class="contents" aria-label="${FRAME_TEXTS[language].parts}">
      ${parts.map(([id, title]) => html`<a href="#${id}">${title}</a> `)}
    </nav>
    ${{ markup: `<script>${CONTENTS_SCRIPT}</script>` }}`
}

function renderHeader(
  { skip, home, tabs = [], state, control }: PageHeader,
  brand: PageBrand,
  texts: FrameTexts,
): Html {
  const shown = tabs.filter((tab) => typeof tab === 'object')
  return html`<header class="bar">
    ${skip && html`<a class="skip" href="${skip.href}">${skip.label}</a>`}
    ${home ? html`<a class="home" href="${home.href}">${brand.renderName(home.label)}${Object.hasOwn(home, 'role') && home.role && html` <span class="pill">${home.role}</span>`}</a>` : html`<span class="home">${brand.renderName(texts.developers)}</span>`}
    ${
      (shown.length > 0 || state) &&
      html`<details class="more">
        <summary class="icon" aria-label="${texts.menu}"></summary>
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
