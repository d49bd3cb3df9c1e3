import type { ChangesEmail, ContactChange, QuotaEmail } from '../../../shared/contracts/email-content.js'
import type { EmailLabels } from './english-labels.js'

type Kind = 'key' | 'secret'

/** The words of one purpose. Parts that are false are left out. */
export interface Words {
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly (string | false)[]
  /** Labels of the buttons, in the order of the links. */
  readonly actions?: readonly string[]
  readonly notes?: readonly (string | false)[]
}

/** The values that words may mention. Names are in quotation marks: strangers have chosen them. */
export interface Mentioned {
  /** The name of the application. */
  readonly name: string
  /** The provider and its host, such as `Example Shop (api.example.com)`; without a brand the host. */
  readonly platform: string
  /** The same without the host, for a further mention. */
  readonly operator: string
}

export interface MentionedCredential extends Mentioned {
  /** The credential's name; undefined if it is the default one. */
  readonly credential: string | undefined
  /** Whether the e-mail has a link that shows the credentials, instead of the credentials. */
  readonly byLink: boolean
  /** Whether an earlier e-mail with the same credential may have arrived. */
  readonly replacesEarlier: boolean
  /** Whether the application has public keys, and no secret. */
  readonly provesKey: boolean
  /** The fate of the replaced credential: it works for a formatted duration or, if that is undefined, no longer. */
  readonly previous: { readonly worksFor: string | undefined } | undefined
}

export interface MentionedChanges extends Mentioned, Pick<ChangesEmail, 'recipientIs' | 'more'> {
  /** Whether the reader was removed, and added again since. */
  readonly isAgain: boolean
  /** How many changes are listed; `more` are not. */
  readonly listed: number
}

/** All words of one language, with the letters and the typography of its country. */
export interface Phrases {
  /** A duration such as `2 days`: `count` is 2 or more, except for seconds. */
  duration(count: number, unit: 'day' | 'hour' | 'minute' | 'second'): string
  date(date: Date): string

  registration(about: MentionedCredential): Words
  replaced(kind: Kind, about: MentionedCredential): Words
  expiring(
    about: Mentioned & {
      readonly kind: Kind
      readonly credential: string
      readonly date: string
      readonly daysLeft: number
      /** The first characters of the new one that exists already. */
      readonly replacement: string | undefined
      /** Whether the next step is a link to the page where the reader can make a new one. */
      readonly selfService: boolean
    },
  ): Words
  invitation(about: Mentioned & { readonly byContact: boolean }): Words
  signIn(about: Omit<Mentioned, 'name'> & { readonly minutes: number }): Words
  approvalRequest(about: Mentioned & { readonly access: boolean }): Words
  /** `tokens`: whether they are called with access tokens. */
  approved(about: Mentioned & { readonly apis: string; readonly tokens: boolean }): Words
  denied(about: Mentioned & { readonly api: string | undefined; readonly reason: string | undefined }): Words
  suspended(about: Mentioned & { readonly reason: string | undefined }): Words
  /** `percent` is 80 or 100; `date`: the end of the day or month. */
  quota(about: Mentioned & Pick<QuotaEmail, 'percent' | 'limit' | 'per' | 'soft'> & { readonly date: string }): Words
  changes(about: MentionedChanges): Words
  /** One line about a change: who has made it, and what it was. */
  describeChange(change: ContactChange): string

  readonly labels: EmailLabels
}
