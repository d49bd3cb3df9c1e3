import type { ApplicationRecord, Language } from './application-record.js'
import type { EmailMessage } from './composed-email.js'
import type { EmailContent } from './email-content.js'
import type { PlanWindow, QuotaCount, QuotaTotals } from './quotas.js'
import type { UsageBatch } from './usage.js'
import type { CountedRefusal, PlanUsage, UsageEntry } from './usage-entries.js'

/** What features offer each other. */
export interface Offers {
  readonly emails: EmailsOffer
  readonly registration: RegistrationOffer
  readonly usage: UsageOffer
  readonly plans: PlansOffer
}

export interface EmailsOffer {
  /** Sends an e-mail with which a contact signs in, soon and in the background. Never throws. */
  sendSignIn(email: {
    readonly to: string
    readonly link: string
    readonly code: string
    readonly minutes: number
    readonly language: Language
  }): void
  /** An e-mail of that kind in a language, about an application that there is not. Nothing in it works. */
  preview(purpose: EmailContent['purpose'], language: Language): Promise<EmailMessage>
}

export interface RegistrationOffer {
  isOperator(address: string): boolean
  /** `requestAccess` for a contact: rejects with what `check` throws for the record that it would change. */
  requestAccess(
    check: (current: ApplicationRecord) => void,
    id: string,
    request: { readonly api: string; readonly scopes: readonly string[]; readonly by: string },
  ): Promise<{ readonly accessRequests: readonly { readonly api: string }[] }>
  /** The provider's terms of use; undefined if there are none. */
  readonly terms: { readonly url: string; readonly version: string } | undefined
  /** Stores that a contact has accepted the terms. Rejects with what `check` throws for the record that it would change. */
  acceptTerms(check: (current: ApplicationRecord) => void, id: string, by: string): Promise<void>
}

/** What `usage()` offers. Both calls know at once what this process has counted; what others count follows within a minute. */
export interface UsageOffer {
  /** Whether requests and refusals are counted, and requests by route, too. */
  readonly counts: { readonly requests: boolean; readonly routes: boolean }
  list(query: {
    readonly applicationId: string
    readonly from: string
    readonly to: string
    readonly by: 'day'
    readonly limit: number
    readonly after: string | undefined
  }): Promise<{ readonly items: readonly UsageEntry[]; readonly next?: string }>
  /** The refusals in the words of that language, equal ones once. */
  countRefusals(applicationId: string, language: Language): Promise<{ readonly items: readonly CountedRefusal[] }>
}

export interface PlansOffer {
  /** The plan of applications that register. */
  readonly defaultPlan: string | undefined
  /** Undefined for a plan that this process does not have: the application is shown without it. */
  usage(application: { readonly id: string; readonly plan: string | undefined }): Promise<PlanUsage | undefined>
  /** The limits of an application's plan; undefined without one. Throws for a plan that this process does not have. */
  findWindows(application: Pick<ApplicationRecord, 'id' | 'plan'>): readonly PlanWindow[] | undefined
  /** Adds what a process without a store has counted, as the store does, up to twice each quota, and tells of 80 and 100 % of one. */
  add(
    batch: UsageBatch,
    counts: readonly (QuotaCount & { readonly plan: string | undefined })[],
  ): Promise<readonly QuotaTotals[]>
}
