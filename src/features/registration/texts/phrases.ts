import type { Denial } from '../../../contracts/denial.js'

/** All words of the registration pages in one language. `label` is the provider's name of a field. */
export interface Phrases {
  readonly title: string
  readonly name: string
  readonly contact: string
  /** The language of e-mails. */
  readonly language: string
  readonly apis: string
  readonly needsApproval: string
  readonly scopes: string
  /** Follows the label of a field that may stay empty. */
  readonly optional: string
  readonly register: string
  readonly next: string
  readonly sent: string
  /** Approval, in words. `days`: within how many working days the provider usually decides. */
  readonly approval: (days: number | undefined) => string

  readonly notRegistered: string
  /** A refusal that is no mistake in a field. */
  readonly refusal: (denied: Pick<Denial, 'error' | 'description'>) => string
  readonly nameMissing: string
  /** `detail`: a part of an English sentence that says what is wrong with this one. */
  readonly nameRefused: (detail: string | undefined) => string
  readonly contactMissing: string
  readonly contactRefused: (detail: string | undefined) => string
  readonly languageUnknown: string
  readonly apiMissing: string
  readonly apiUnknown: string

  readonly empty: (label: string) => string
  readonly unticked: (label: string) => string
  readonly unchosen: (label: string) => string
  readonly longerThan: (label: string, most: number) => string
  readonly unreadable: (label: string) => string
  readonly noAddress: (label: string) => string
  readonly noUrl: (label: string) => string
  /** All values together exceed what is stored. */
  readonly tooLong: string
  readonly choose: string

  readonly acceptTerms: string
  /** The link to the terms, which opens another tab. */
  readonly readTerms: (version: string) => string
  readonly termsMissing: string
  readonly termsChanged: string

  readonly captchaMissing: string
  readonly captchaRefused: string
  readonly captchaNeedsScripts: string

  readonly thanks: string
  /** `contact`: the address that the form gave; undefined if it is not known any more. */
  readonly received: (contact: string | undefined) => string
  readonly held: (contact: string | undefined, days: number | undefined) => string
  readonly missingEmail: string
  readonly manage: string
}
