import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { EXPRESSES } from '../../support/platform.js'
import { compareReportWithRefusals } from './report-only-comparison.js'

/** Most of them are refused. */
const REQUESTS = IS_LONG_LANE ? 1_250_000 : 900

describe.each(Object.entries(EXPRESSES).slice(IS_LONG_LANE ? 0 : -1))(
  '%s: guards with reportOnly: true',
  (_, express) => {
    it('report exactly what guards refuse, for the same random requests', { timeout: 3_600_000 }, async () => {
      const { refused, reported, refusedByReporting } = await compareReportWithRefusals(express, memoryStore(), {
        requestCount: REQUESTS,
        seed: 17,
      })
      expect(reported).toEqual(refused)
      expect(Object.values(reported).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.8 * REQUESTS)
      expect(refusedByReporting).toBe(0)
      // Otherwise too little would be compared.
      const reasons = new Set(Object.keys(refused).map((name) => name.split(' | ').at(-1)))
      expect(reasons).toEqual(new Set(EVERY_REASON))
    })
  },
)

const EVERY_REASON = [
  'expired_key',
  'expired_token',
  'insufficient_scope',
  'invalid_request',
  'invalid_token',
  'method_not_allowed',
  'no_credential',
  'refused_by_host',
  'revoked_token',
  'server_error',
  'suspended',
  'temporarily_unavailable',
  'token_of_another_api',
  'too_many_requests',
  'undocumented_method',
  'undocumented_path',
  'unknown_client',
]
