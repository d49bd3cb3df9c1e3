import { fillText } from '../../../shared/lib/fill-in.js'
import { html } from '../../../shared/web/html.js'
import { FormProblem, type ActionPage } from './action-page.js'
import { readField } from '../../../core/http/form.js'
import { findUnaccepted } from '../sections/terms-note.js'
import type { ApplicationView } from './view.js'

/** Accepts the terms; undefined if there are none to accept. */
export function createTermsPage(view: ApplicationView): ActionPage | undefined {
  const { record, texts } = view
  const terms = findUnaccepted(record, view.terms)
  if (!terms) return undefined
  const { url, version } = terms
  return {
    action: 'acceptTerms',
    heading: texts.terms,
    button: texts.acceptTerms,
    render: () =>
      html`<input type="hidden" name="terms" value="${version}" />
        <p>${texts.termsAsked}</p>
        <p><a href="${url}" target="_blank" rel="noopener">${fillText(texts.readTerms, { version })}</a></p>`,
    async perform(entered, { acceptTerms, by }) {
      if (readField(entered, 'terms') !== version) throw new FormProblem(texts.termsChanged)
      await acceptTerms(record.id, by)
      return { done: 'accepted' }
    },
  }
}
