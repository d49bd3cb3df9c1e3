import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderPage, type Site } from './page.js'
import { renderMarkdown } from './reference/markdown.js'
import type { ConsoleText } from './texts.js'
import { readLanguage } from './words.js'

export function renderTextPage(site: Site, text: ConsoleText): string {
  const { title, guides } = site
  const isGuide = guides.includes(text)
  const root = isGuide ? '../' : './'
  // A text without a top heading gets one.
  const { markup } = renderMarkdown(text.markdown, { headingIds: true })
  const hasHeading = markup.includes('<h1')
  const body = hasHeading ? markup : renderMarkdown(text.markdown, { headingIds: true, headingLevel: 2 }).markup
  const content = html`
    <div class="reading">
      ${isGuide && guides.length > 1 && renderGuideList(guides, text)}
      <main class="text">${!hasHeading && html`<h1>${text.title}</h1>`} ${{ markup: linkGuides(body, guides) }}</main>
    </div>
  `
  const name = text.path.slice(text.path.lastIndexOf('/') + 1)
  const head = html`<link rel="alternate" type="text/markdown" title="${text.title}" href="${name}.md" />`
  return renderPage({
    title: `${text.title}, ${title}`,
    root,
    site,
    tab: isGuide ? 'guides' : 'changelogTab',
    styles: ['console.css'],
    scripts: [],
    head,
    content,
  })
}

function renderGuideList(guides: readonly ConsoleText[], shown: ConsoleText): Html {
  return html`<nav class="guides" aria-label="${FRAME_TEXTS[readLanguage()].guides}">
    <ul>
      ${guides.map(
        (guide) =>
          html`<li><a href="../${guide.path}" ${guide === shown && html`aria-current="page"`}>${guide.title}</a></li> `,
      )}
    </ul>
  </nav>`
}

/** Turns a link to the file of another guide into one to its page. */
function linkGuides(markup: string, guides: readonly ConsoleText[]): string {
  const paths = new Set(guides.map(({ path }) => path))
  return markup.replaceAll(/ href="(?:\.\/)?([\w.-]+)\.md(?=["#])/g, (link, name: string) =>
    paths.has(`guides/${name}`) ? ` href="${name}` : link,
  )
}
