import { describe, expect, it } from 'vitest'
import { POLLUTION_KINDS, startAttackedPlatform } from './platform-process.js'
import { findPollutionProblems, INSIDE, listOptionalMembers } from './pollution.js'

describe('a process with a polluted Object.prototype', () => {
  it(
    'takes whole journeys as before, whichever member that may be missing is polluted',
    { timeout: 1_800_000 },
    async () => {
      const platform = await startAttackedPlatform({ journeys: true })
      const names = [...listOptionalMembers()].filter((name) => !INSIDE.has(name))
      expect(await findPollutionProblems(platform, names, POLLUTION_KINDS)).toEqual([])
      await platform.end()
    },
  )
})
