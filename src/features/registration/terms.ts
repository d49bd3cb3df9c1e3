import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import { toSentence, invalidArgument } from '../../shared/contracts/errors.js'
import { refuseDeleted } from '../../core/applications/records/status.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { invalidOption } from '../../shared/lib/option-checks.js'
import { members, optional, textThat } from '../../shared/lib/option-rules.js'
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

export const readTerms = members({
  url(option, url): string {
    const parsed = typeof url === 'string' ? URL.parse(url) : null
    if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.href
    throw invalidOption(option, url, 'It is an absolute address, such as "https://example.com/terms".')
  },
  version: textThat(
    (version) => version !== '' && version.trim() === version && findLineProblem(version, 50) === undefined,
    'Name it in 1 to 50 characters, such as "2026-11".',
  ),
  label: optional(readLocalText),
})

/** What a registration by the provider accepts. Throws `ApplicationError` for another version than the current one. */
export function readAcceptance(terms: RegistrationTerms | undefined, version: string | undefined, at: number) {
  if (version === undefined) return undefined
  if (terms?.version === version) return { url: terms.url, version, at }
  const problem = terms
    ? `accepts another version than "${terms.version}"`
    : 'accepts terms, and the option terms has none'
  throw invalidArgument(toSentence(`The registration ${problem}`))
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
