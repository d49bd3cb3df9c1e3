import { randomUUID } from 'node:crypto'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { QuotaStore, QuotaTotals } from '../../shared/contracts/quotas.js'
import type { UsageBatch, UsageStore } from '../../shared/contracts/usage.js'
import type { AskPlatform } from './platform-client.js'
import { readList, readNumber, readObject, readText } from './read-answer.js'

/** The platform takes bodies of 16 KiB. */
const MAX_BYTES = 12_000

export type Reports = ReturnType<typeof createReports>

/** Tells the platform what this process has counted, by the calls of a store. A batch that is told twice is added once. */
export function createReports(ask: AskPlatform) {
  async function report(kind: string, { id }: Pick<UsageBatch, 'id'>, rows: readonly object[]): Promise<QuotaTotals[]> {
    const totals: QuotaTotals[] = []
    // The same rows are divided alike when they are told again.
    for (const [place, part] of divide(rows).entries()) {
      const answer = await ask('report', { kind, batch: `${id}.${place}`, rows: part }).catch((cause: unknown) => {
        // Whether the platform has added the rows is not known, whatever has answered: a proxy may have given up.
        throw new StoreUnavailableError('The platform has not taken a report.', { cause, outcome: 'unknown' })
      })
      for (const { ofDay, ofMonth } of kind === 'quotas' ? readList(answer['totals'], readObject) : [])
        totals.push({ ofDay: readNumber(ofDay), ofMonth: readNumber(ofMonth) })
    }
    if (kind === 'quotas' && totals.length !== rows.length) throw new Error('There should be totals of each row.')
    return totals
  }

  const usage: Pick<UsageStore, 'add' | 'addRefusals' | 'addReported'> = {
    add: async (batch, counts) => void (await report('usage', batch, counts)),
    addRefusals: async (batch, refusals) => void (await report('refusals', batch, refusals)),
    addReported: async (batch, counts) => void (await report('reported', batch, counts)),
  }
  const quotas: Pick<QuotaStore, 'add' | 'list'> = {
    add: (batch, counts) => report('quotas', batch, counts),
    async list(applicationId, _from, day) {
      const { counts } = await ask('quota', { id: applicationId, day })
      return readList(counts, (given) => {
        const { day: ofDay, count } = readObject(given)
        return { applicationId, day: readText(ofDay), count: readNumber(count) }
      })
    },
  }
  return {
    usage,
    quotas,
    async noteCredentialUse(
      uses: readonly { readonly applicationId: string; readonly credentialId: string; readonly at: number }[],
    ): Promise<void> {
      await report('credentials', { id: randomUUID() }, uses)
    },
  }
}

function divide(rows: readonly object[]): readonly (readonly object[])[] {
  const parts: object[][] = []
  let left = 0
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row))
    if (size > left) {
      parts.push([])
      left = MAX_BYTES
    }
    left -= size
    parts.at(-1)!.push(row)
  }
  return parts
}
