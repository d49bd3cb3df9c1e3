import type { Language } from '../../shared/contracts/application-record.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import { html } from '../../shared/web/html.js'
import { LANGUAGES } from './fields.js'
import { readQuery, renderSearch } from './search-form.js'
import type { Answer, Site, Visit } from './visit.js'

/** An e-mail of each kind as it is sent, with nothing real in it: the page around it, or the e-mail alone, for its frame. */
export async function answerPreview({ core }: Site, visit: Visit, isFramed: boolean): Promise<Answer | undefined> {
  const { texts, root } = visit
  const emails = core.find('emails')
  if (!emails) return undefined
  const choose = <Value extends string>(name: string, choices: readonly string[]): Value => {
    const given = readQuery(visit, name) ?? ''
    return (choices.includes(given) ? given : choices[0]) as Value
  }
  const purpose = choose<EmailContent['purpose']>('purpose', Object.keys(texts.purposes))
  const codes = LANGUAGES.map(([code]) => code)
  const language = choose<Language>('language', [visit.language, ...codes])
  const { subject, text, html: markup } = await emails.preview(purpose, language)
  if (isFramed) return { framed: markup }
  const address = new URLSearchParams({ purpose, language }).toString()
  return {
    heading: texts.preview,
    tab: 'emails',
    parent: ['/emails', texts.tabs.emails],
    content: html`${renderSearch(visit, 'preview', [
        { name: 'purpose', label: texts.labels.purpose, choices: Object.entries(texts.purposes) },
        { name: 'language', label: texts.labels.language, choices: LANGUAGES, value: language },
      ])}
      <h2>${subject}</h2>
      <iframe class="preview" sandbox src="${root}/preview.html?${address}" title="${subject}"></iframe>
      <details class="after">
        <summary>${texts.asText}</summary>
        <pre class="data">${text}</pre>
      </details>`,
  }
}
