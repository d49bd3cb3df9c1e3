/** Markup that stands in a page as it is; everything else is escaped. */
export interface Html {
  readonly markup: string
}

type Content = Html | string | number | false | undefined | readonly Content[]

/** A piece of a page. What is put in is escaped; `false` and `undefined` leave nothing. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...contents.map(markupOf)) }
}

function markupOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (typeof content === 'object') return 'markup' in content ? content.markup : content.map(markupOf).join('')
  return String(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A text as it stands in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
