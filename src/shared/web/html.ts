import type { Language } from '../contracts/application-record.js'
import { fillIn } from '../lib/fill-in.js'
import { isList } from '../lib/own-members.js'
import { escapeHidden } from '../lib/visible-text.js'

/** Markup that is inserted unescaped; only `html` creates it. */
export interface Html {
  readonly markup: string
}

/** What a template takes in its places. */
export type Content = Html | string | number | false | undefined | readonly Content[]

/** HTML from a template: strings are escaped, lists joined, `false` and `undefined` left out. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...contents.map(formatContent)) }
}

/** A text of a catalogue with values in place of the names in it. Whatever is no markup is escaped. */
export function fillHtml(text: string, values: Readonly<Record<string, Html | string | number>>): Html {
  return html`${fillIn(text, values)}`
}

/** Keeps the word e-mail in one line: browsers would break it at its hyphen. Attributes stay as they are, and texts of controls, links and code. */
export function keepWhole({ markup }: Html): Html {
  const parts = /<(style|script|textarea|option|button|a|code|pre)\b[^]*?<\/\1>|<(?:"[^"]*"|[^">])*>|\be-mails?\b/gi
  return {
    markup: markup.replaceAll(parts, (part) => (part.startsWith('<') ? part : `<span class="whole">${part}</span>`)),
  }
}

/** For screen readers, which pronounce it as the language of the page otherwise. */
export function markEnglish(text: string, { language }: { readonly language: Language }): Html | string {
  return language === 'en' ? text : html`<span lang="en">${text}</span>`
}

/** A plain text, in which a word between back-ticks is code. */
export function renderPlain(text: string): Html {
  return html`${text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

function formatContent(content: Content): string {
  if (content === undefined || content === false) return ''
  if (isList(content)) return content.map(formatContent).join('')
  return typeof content === 'object' ? content.markup : escapeHtml(String(content))
}

function escapeHtml(text: string): string {
  return escapeHidden(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
