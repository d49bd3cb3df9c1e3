import { hashSource, type PageBrand } from '../../shared/web/page-brand.js'
import { html, type Html } from '../../shared/web/html.js'
import {
  type DeveloperPages,
  type DeveloperTab,
  listDeveloperTabs,
  renderFrame,
  type PageFrame,
  type PageHeader,
} from '../../shared/web/page-frame.js'
import { FRAME_SCRIPT_SOURCE } from '../../shared/web/frame-script.js'
import type { Assets } from './assets.js'
import type { Api } from '../../index.js'
import type { JsonObject } from '../../shared/openapi/document.js'
import { readLanguage, textWith } from './words.js'

interface PageOptions extends Pick<PageFrame, 'title' | 'bodyClass' | 'content' | 'footer'> {
  readonly site: Site
  /** The relative path from the page to the console's index, such as `./` or `../`. */
  readonly root: string
  readonly tab?: DeveloperTab
  readonly header?: Pick<PageHeader, 'skip' | 'state' | 'control'>
  readonly styles: readonly (keyof Assets)[]
  readonly scripts: readonly (keyof Assets)[]
  readonly head?: Html
  readonly isIndex?: boolean
}

/** The slash that relative links of the index need. Behind a proxy that strips the prefix no server can see it. */
const ADD_SLASH = `if(!location.pathname.endsWith('/'))location.pathname+='/'`

/** A complete HTML page. All its URLs are relative, so that it works at any mount path and behind any proxy. */
export function renderPage(page: PageOptions): string {
  const { site, root, tab, header, styles, scripts, head, isIndex = false, ...frame } = page
  const { assets, brand, title } = site
  const language = readLanguage()
  const tabs = listDeveloperTabs(listDeveloperPages(site), { link: (path) => root + path, language, tab })
  return renderFrame({
    language,
    ...frame,
    brand,
    header: { home: { href: root, label: title }, tabs, ...header },
    head: html`${isIndex && { markup: `<script>${ADD_SLASH}</script>` }}
      <link rel="icon" type="image/svg+xml" href="${root}${assets['icon.svg'].path}" />
      ${styles.map((name) => html`<link rel="stylesheet" href="${root}${assets[name].path}" /> `)}
      ${scripts.map((name) => html`<script src="${root}${assets[name].path}" defer></script> `)} ${head}`,
  })
}

/** The pages before and after one of a series. */
export function renderNeighbours<Each>(series: readonly Each[], at: number, read: (each: Each) => [string, string]) {
  const links = [[at - 1, 'previous'] as const, [at + 1, 'next'] as const].map(([other, word]) => {
    const [href, title] = series[other] ? read(series[other]) : []
    return (
      href !== undefined &&
      html`<a class="chevron next ${word}" href="${href}">${textWith(word, { title: title! })}</a> `
    )
  })
  return series.length > 1 && html`<p class="turn">${links}</p>`
}

export function listDeveloperPages({ guides, changelog, portal, registration }: Site): DeveloperPages {
  return { guides: guides[0]?.path, changelog: changelog?.path, portal, registration }
}

/** Allows a page to load the console's files, to call the origins of `connect`, and to show further `images`. */
export function createContentSecurityPolicy(connect: readonly string[], images: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${FRAME_SCRIPT_SOURCE} ${hashSource(ADD_SLASH)}`,
    "style-src 'self'",
    ["img-src 'self'", ...images].join(' '),
    `connect-src ${connect.length > 0 ? connect.join(' ') : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export interface Site {
  readonly title: string
  readonly apis: readonly Api[]
  readonly documents: ReadonlyMap<string, JsonObject>
  readonly registration: boolean
  readonly hasEmails: boolean
  readonly portal: boolean
  readonly guides: readonly ConsoleText[]
  readonly changelog: ConsoleText | undefined
  readonly assets: Assets
  readonly brand: PageBrand
  /** The schemes of all APIs of the console, which share one authorization. */
  readonly schemes: readonly string[]
}

/** A text of the provider in Markdown: a guide or the changelog. */
export interface ConsoleText {
  /** The path below the console, such as `guides/first-call`; its Markdown has `.md` behind it. */
  readonly path: string
  readonly title: string
  readonly markdown: string
}
