import { fillText } from '../../../shared/lib/fill-in.js'
import { html, type Html } from '../../../shared/web/html.js'
import { FormProblem, type ActionPage } from './action-page.js'
import { readField } from '../../../core/http/form.js'
import { type ApplicationView, isOffered, renderAction, renderAsk } from './view.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { RegistrationOffer } from '../../../shared/contracts/offers.js'

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

type Terms = RegistrationOffer['terms']

function findUnaccepted({ acceptedTerms }: Pick<ApplicationRecord, 'acceptedTerms'>, terms: Terms): Terms {
  return acceptedTerms?.version === terms?.version ? undefined : terms
}

/** A suspended application has more to do than to accept terms. */
export function isAsked(record: ApplicationRecord, terms: Terms): boolean {
  return record.status !== 'suspended' && findUnaccepted(record, terms) !== undefined
}

/** Leads from the application's page to the form. Nothing is blocked meanwhile: that is for the provider to decide. */
export function renderTermsNote(view: ApplicationView): Html | false {
  const { record, terms, texts, link } = view
  if (!isOffered(view, 'acceptTerms') || !isAsked(record, terms)) return false
  return renderAsk(texts.termsAsked, renderAction(link(record.id, 'acceptTerms'), texts.showTerms, ''), 'info')
}
