import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { RegistrationOffer } from '../../../shared/contracts/offers.js'
import { html, type Html } from '../../../shared/web/html.js'
import { offers, renderAction, type ApplicationView } from '../pages/view.js'

type Terms = RegistrationOffer['terms']

/** The provider's terms, if the application has not accepted this version. */
export function findUnaccepted({ acceptedTerms }: Pick<ApplicationRecord, 'acceptedTerms'>, terms: Terms): Terms {
  return acceptedTerms?.version === terms?.version ? undefined : terms
}

/** Leads from the application's page to the form. Nothing is blocked meanwhile: that is for the provider to decide. */
export function renderTermsNote(view: ApplicationView): Html | false {
  const { record, terms, texts, link } = view
  if (!offers(view, 'acceptTerms') || !findUnaccepted(record, terms)) return false
  return html`<div class="note">
    <p>${texts.termsAsked}</p>
    <p class="actions">${renderAction(link(record.id, 'acceptTerms'), texts.terms, '')}</p>
  </div>`
}
