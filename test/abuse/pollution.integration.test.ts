import { describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { POLLUTION_KINDS, startAttackedPlatform } from './platform-process.js'
import { findPollutionProblems, INSIDE, listOptionalMembers } from './pollution.js'

/** The names that are read of requests and of the language's own objects. */
const OTHER_NAMES = `
  each authorization x-api-key content-type content-length content-encoding transfer-encoding
  POST DELETE GET HEAD * GET_/x successRedirect customDuration hash prefix iss denied markup
`
  .trim()
  .split(/\s+/)

describe('a process with a polluted Object.prototype', () => {
  it(
    'takes whole journeys as before: nothing inherited is a header, a status, an option, an argument or a credential',
    { timeout: 1_800_000 },
    async () => {
      const platform = await startAttackedPlatform({ journeys: true })
      const members = listOptionalMembers()
      expect(members.size).toBeGreaterThan(400)
      const tested = [...OTHER_NAMES, ...members].filter((name) => !INSIDE.has(name))
      if (IS_LONG_LANE) {
        expect(await findPollutionProblems(platform, tested, POLLUTION_KINDS)).toEqual([])
      } else {
        // Many at a time: a process that would stumble over one of them would stumble over all.
        const [many, others] = [
          ['function', 'string'] as const,
          POLLUTION_KINDS.filter((kind) => !/function|string/.test(kind)),
        ]
        expect(await findPollutionProblems(platform, tested, many, { together: 160 })).toEqual([])
        expect(await findPollutionProblems(platform, ['each', 'status', 'body'], others, { together: 3 })).toEqual([])
      }
      await platform.end()
    },
  )

  it('allows nothing more where a member is left out inside', async () => {
    for (const kind of IS_LONG_LANE ? (['function', 'string'] as const) : (['string'] as const)) {
      const platform = await startAttackedPlatform({ journeys: true })
      expect(await findPollutionProblems(platform, INSIDE, [kind], { together: 7, isInside: true })).toEqual([])
      await platform.end()
    }
  })
})
