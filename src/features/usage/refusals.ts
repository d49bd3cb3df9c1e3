import type { Language } from '../../shared/contracts/application-record.js'
import type { CountedRefusal, RefusalEntry, RefusalExplanation } from '../../shared/contracts/usage-entries.js'
import type { RefusalRecord } from '../../shared/contracts/usage.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { fillText } from '../../shared/lib/fill-in.js'
import type { UsageReads } from './list-usage.js'
import de from './texts/de.json' with { type: 'json' }
import { en, type RefusalTexts } from './texts/en.js'
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }

export const MAX_REFUSAL_AGE_MS = 7 * DAY_MS

export function createRefusalReads({ store, opened, now }: UsageReads) {
  async function read(applicationId: string): Promise<readonly RefusalRecord[]> {
    await opened()
    const records = await store.listRefusals(applicationId, now() - MAX_REFUSAL_AGE_MS)
    // Several processes write at different times.
    return records.toSorted((one, other) => other.at - one.at)
  }

  return {
    async list(applicationId: string): Promise<{ items: RefusalEntry[] }> {
      return { items: (await read(applicationId)).map((record) => describe(record, 'en')) }
    },
    /** The newest of equal ones, and how many there are, in the words of that language. */
    async count(applicationId: string, language: Language): Promise<{ items: CountedRefusal[] }> {
      const counted = new Map<string, { readonly record: RefusalRecord; count: number }>()
      for (const record of await read(applicationId)) {
        const known = counted.get(identify(record))
        if (known) known.count += 1
        else counted.set(identify(record), { record, count: 1 })
      }
      return {
        items: [...counted.values()].map(({ record, count }) => ({ ...describe(record, language), count })),
      }
    },
  }
}

/** The same text for refusals that need the same remedy: whenever they were, and whenever the credential expired. */
function identify({ api, error, reason, details, address }: RefusalRecord): string {
  const network = reason === 'network_not_allowed' ? address : undefined
  const { route, api: otherApi, credential, scopes } = details
  return JSON.stringify([api, error, reason, route, otherApi, credential, scopes, network])
}

function describe(record: RefusalRecord, language: Language): RefusalEntry {
  const { at, api, error, reason, requestId, address, details } = record
  const { route } = details
  return {
    at: new Date(at),
    api,
    error,
    reason,
    ...explainRefusal(record, language),
    ...(typeof route === 'string' && { route }),
    ...(requestId !== undefined && { requestId }),
    ...(address !== undefined && { address }),
  }
}

const TEXTS: Readonly<Record<Language, RefusalTexts>> = { en, de, fr, es }

export function explainRefusal(
  { error, reason, details, address }: Pick<RefusalRecord, 'error' | 'reason' | 'details' | 'address'>,
  language: Language,
): RefusalExplanation {
  const { reasons, quote, seconds } = TEXTS[language]
  const names = [`${reason}_of_${details['of']}`, reason, error]
  const name = names.find((each): each is keyof typeof reasons => Object.hasOwn(reasons, each)) ?? 'unknown'
  const { problem, fix } = reasons[name]
  const { api, credential, scopes, retryAfter } = details
  const values = {
    api: typeof api === 'string' ? ` (${fillText(quote, { text: api })})` : '',
    credential: typeof credential === 'string' ? ` ${fillText(quote, { text: credential })}` : '',
    scopes: typeof scopes === 'string' && scopes !== '' ? ` (${scopes})` : '',
    seconds: typeof retryAfter === 'number' ? ` (Retry-After: ${fillText(seconds, { count: retryAfter })})` : '',
    address: address === undefined ? '' : ` (${address})`,
  }
  return { problem: fillText(problem, values), fix }
}
