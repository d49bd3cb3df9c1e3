import { describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { POLLUTION_KINDS, startAttackedPlatform } from './platform-process.js'
import { findPollutionProblems } from './pollution.js'

/** Members that the platform reads and that may be missing: of options, requests, refusals, records, tokens. */
const NAMES = `
  each status headers error description cause code body parsed text id ip authorization x-api-key
  content-type content-length content-encoding transfer-encoding origin authenticated known identity scope
  scopes optional onDenied POST DELETE * GET_/x name contact apis token key markup prepareResponse
  successRedirect customDuration by overlap email details reason requestId clockTolerance maxTokenAge
  expiresAt save
  anyScope allow otherIssuers GET HEAD apis metadata externalId claims customClaims allowsMethod api credentialId remindedDays hash prefix iss
  guard refusal denied isAmbiguous script session setCookie page redirect done left problem contact
`
  .trim()
  .split(/\s+/)

describe('a process with a polluted Object.prototype', () => {
  it('answers all requests as before: nothing inherited is a header, a status, an option or a credential', async () => {
    const platform = await startAttackedPlatform()
    const kinds = ['function', 'string'] as const
    for (const [at, kind] of kinds.entries()) {
      // Half of the names with each kind, six at a time; in the long lane all of them, three at a time.
      const names = NAMES.filter((_, i) => IS_LONG_LANE || i % kinds.length === at)
      expect(await findPollutionProblems(platform, names, [kind], IS_LONG_LANE ? 3 : 6)).toEqual([])
    }
    const together = IS_LONG_LANE ? 1 : 3
    expect(await findPollutionProblems(platform, ['each', 'status', 'body'], POLLUTION_KINDS, together)).toEqual([])
    await platform.end()
  })
})
