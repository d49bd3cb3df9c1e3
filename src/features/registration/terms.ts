import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import { ApplicationError, toSentence } from '../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { refuseDeleted } from '../../core/applications/records/status.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { invalidOption, readGroup } from '../../shared/lib/option-checks.js'
import { readLocalText, type LocalText } from './local-text.js'

/** The provider's terms of use. With a new version, contacts are asked again at the portal. */
export interface RegistrationTerms {
  /** The absolute address where they can be read. */
  readonly url: string
  /** Any name of this version, such as `2026-11`: 1 to 50 characters. */
  readonly version: string
  /** The text of the checkbox; "I accept the terms of use" if left out. */
  readonly label?: LocalText | undefined
}

const OPTION = 'registration.terms'

export function readTerms(terms: RegistrationTerms | undefined): RegistrationTerms | undefined {
  if (terms === undefined) return undefined
  const { url, version, label } = readGroup(OPTION, terms, ['url', 'version', 'label'])
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw invalidOption(`${OPTION}.url`, url, 'It is an absolute address, such as "https://example.com/terms".')
  }
  const isVersion = typeof version === 'string' && version.trim() === version && version !== ''
  if (!isVersion || findLineProblem(version, 50) !== undefined) {
    throw invalidOption(`${OPTION}.version`, version, 'Name it in 1 to 50 characters, such as "2026-11".')
  }
  return { url: parsed.href, version, label: label === undefined ? undefined : readLocalText(`${OPTION}.label`, label) }
}

/** What a registration by the provider accepts. Throws `ApplicationError` for another version than the current one. */
export function readAcceptance(
  terms: RegistrationTerms | undefined,
  version: string | undefined,
  at: number,
): ApplicationRecord['acceptedTerms'] {
  if (version === undefined) return undefined
  if (terms?.version === version) return { url: terms.url, version, at }
  const problem = terms
    ? `accepts another version than "${terms.version}"`
    : 'accepts terms, and the option terms has none'
  throw new ApplicationError('invalid_argument', toSentence(`The registration ${problem}`))
}

export async function acceptTerms(
  writer: Pick<ApplicationWriter, 'change'>,
  { url, version }: RegistrationTerms,
  { id, by, at }: { readonly id: string; readonly by: string; readonly at: number },
): Promise<void> {
  await writer.change(id, { type: 'application.updated', by }, (current) => {
    refuseDeleted(current, 'acceptTerms')
    return { changed: { acceptedTerms: { url, version, at } }, details: { acceptedTerms: { url, version } } }
  })
}
