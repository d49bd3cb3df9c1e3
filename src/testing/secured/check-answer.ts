import type { GuardDescription } from '../../index.js'
import type { ReceivedAnswer } from '../send.js'
import { listAccepted } from './check-context.js'
import type { Outcome } from './prober.js'

/** Whether a request without a credential got nothing: a guard's refusal, a 404, or an answer to OPTIONS without content. */
export function isClosed(outcome: Outcome, method: string): boolean {
  const { reached, answer, isPlatforms } = outcome
  if (reached || !answer) return false
  return (
    isPlatforms ||
    answer.status === 404 ||
    isGuardsAnswer(outcome, method) ||
    (method === 'OPTIONS' && isPreflightAnswer(answer))
  )
}

/**
 * Whether the answer is a refusal of this platform's guard. A guard's refusal alone is no proof: the app may have answered all
 * the same.
 */
export function isGuardsAnswer({ reached, answer, denied, guards }: Outcome, method: string): boolean {
  if (reached || !answer || answer.status < 400 || denied.length === 0) return false
  if (method === 'HEAD' || answer.body.length === 0 || mayAnswerItself(guards)) return true
  const error = readError(answer.body)
  return denied.some((event) => event.error === error)
}

/** Whether the answer may differ: with `onDenied`, and if the app calls the guard in a function of its own. */
function mayAnswerItself(guards: readonly GuardDescription[]): boolean {
  return guards.length === 0 || listAccepted(guards).some(({ hasOwnAnswers }) => hasOwnAnswers)
}

/** Express answers with the allowed methods by itself. */
function isPreflightAnswer({ status, headers, body }: ReceivedAnswer): boolean {
  if (status >= 300 && status < 400) return false
  return body.length === 0 || body.toString() === headers['allow']
}

export function readError(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as { error?: unknown } | null)?.error
  } catch {
    return undefined
  }
}
