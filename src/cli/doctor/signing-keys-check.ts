import { PROGRAM } from '../program.js'
import { problem, type Check } from './finding.js'

/** Seconds within which a server notices that a key is due. */
const SLACK = 120
const DAY = 86_400

/** Whether access tokens can be signed, and with a key that is not older than it should be. */
export const keysCheck: Check = {
  name: 'signing keys',
  lacks: ({ operations }) => (operations ? undefined : 'a store that can be opened'),
  async look({ place: { options }, operations }) {
    const keys = (await operations?.signingKeys.list())?.items ?? []
    if (keys.length === 0) {
      return [
        problem(
          'There is no signing key: no server has ever started on this store.',
          'Start one; it makes the first key. If servers run, they run on another store.',
        ),
      ]
    }
    const rotateEvery = options?.signing?.rotateEvery
    const age = (Date.now() - Math.max(...keys.map(({ createdAt }) => createdAt.getTime()))) / 1000
    if (typeof rotateEvery !== 'number' || age <= rotateEvery + SLACK) return []
    return [
      problem(
        `The newest signing key is ${spanOf(age)} old, and signing.rotateEvery is ${spanOf(rotateEvery)}: no running server rotates it.`,
        `See that a server runs with these options on this store; or now: ${PROGRAM} keys rotate`,
      ),
    ]
  },
}

function spanOf(seconds: number): string {
  return seconds >= 2 * DAY ? `${Math.floor(seconds / DAY)} days` : `${Math.floor(seconds)} seconds`
}
