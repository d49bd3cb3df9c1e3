import type { Mailer } from '../../shared/contracts/mailer.js'
import type { Diagnosis } from '../../feature.js'
import { callService } from '../../shared/lib/service-failure.js'
import { withTimeout } from '../../shared/lib/timeout.js'

const TIMEOUT_MS = 10_000

/** Whether the mailer reaches its mail server. It sends nothing. */
export async function diagnoseMailer(mailer: Mailer): Promise<readonly Diagnosis[]> {
  if (typeof mailer.verify !== 'function') {
    return [
      {
        problem: 'The mailer has no verify(): without sending, the doctor cannot tell whether its mail server answers',
        fix: 'Register an application of your own, and check that its e-mail arrives.',
        isNote: true,
      },
    ]
  }
  try {
    const work = callService(() => mailer.verify!())
    await withTimeout(work, TIMEOUT_MS, () => new Error(`no answer within ${TIMEOUT_MS / 1000} seconds`))
    return []
  } catch (error) {
    return [
      {
        problem: `The mail server cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        fix: "Check the host, port, TLS and login of the mailer's transport, and firewalls in between.",
      },
    ]
  }
}
