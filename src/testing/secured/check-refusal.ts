import type { AcceptedCredential, GuardDescription } from '../../index.js'
import type { BadCredential } from './bad-credentials.js'
import { readError } from './check-answer.js'
import { listAccepted, type Check } from './check-context.js'
import { describeOutcome } from './problem.js'
import type { Outcome } from './prober.js'

/** A bad credential must not reach a handler, and must get the guard's refusal. */
export function judge(
  check: Check,
  bad: Omit<BadCredential, 'headers'>,
  outcome: Outcome,
  accepted: readonly AcceptedCredential[],
): void {
  const { report, method, endpoints, publicRoutes } = check
  if (!outcome.reached)
    return checkRefusal(check, bad, outcome, [{ optional: false, enforces: true, accepts: accepted }])
  const owner = endpoints.find(({ route }) => route === outcome.reached) ?? check.endpoint
  if (owner.route !== check.endpoint.route && publicRoutes.has(method, owner.path)) return
  report(
    'accepted',
    owner,
    method,
    `A request with ${bad.name} reached the handler.`,
    'Let no middleware answer or call the handler before the guard has decided.',
  )
}

/** The answer must be the guard's own, unchanged by what the app does with answers. */
export function checkRefusal(
  { complain, method }: Check,
  { name, status, error }: Omit<BadCredential, 'headers'>,
  outcome: Outcome,
  guards: readonly GuardDescription[],
): void {
  const { answer, denied } = outcome
  const subject = name.startsWith('A ') ? name : `A request with ${name}`
  const refuse = (problem: string): void =>
    complain(
      'wrong-refusal',
      `${subject} ${problem}: ${describeOutcome(outcome)}.`,
      'Let the guard answer: mount nothing before it that answers, and nothing that changes its answers. Give onDenied for answers of your own.',
    )
  if (denied.length === 0) return refuse('was not refused by a guard')
  if (!answer || answer.status < 400) return refuse('was refused, but the client did not learn it')
  if (listAccepted(guards).some(({ hasOwnAnswers }) => hasOwnAnswers)) return
  const isOurs = answer.status === status && (method === 'HEAD' || readError(answer.body) === error)
  if (!isOurs) return refuse(`must be refused with ${status} ${error}`)
  if (answer.headers['www-authenticate'] === undefined) refuse('got a refusal whose WWW-Authenticate was removed')
  else if (answer.headers['cache-control'] !== 'no-store') refuse('got a refusal whose Cache-Control was changed')
}
