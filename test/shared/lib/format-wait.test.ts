import { expect, it } from 'vitest'
import { formatWait } from '../../../src/shared/lib/relative-time.js'

it.each([
  [1, 'a second'],
  [2, '2 seconds'],
  [59, '59 seconds'],
  [60, 'a minute'],
  [61, '2 minutes'],
  [3540, '59 minutes'],
  [3541, 'an hour'],
  [3600, 'an hour'],
  [3601, '2 hours'],
  [86_400, 'a day'],
  [86_401, '2 days'],
])('says %i seconds as "%s", never less', (seconds, words) => {
  expect(formatWait(seconds)).toBe(words)
})
