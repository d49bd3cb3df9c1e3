import type { ServerResponse } from 'node:http'
import * as ses from '@aws-sdk/client-sesv2'
import * as postmark from 'postmark'
import * as resend from 'resend'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Mailer } from '../../src/features/emails/index.js'
import { expectNoCredentials, KEY, openProvider, waitForAttempts } from '../core/applications/applicant.js'
import { useServer } from '../support/http.js'
import { runBlock } from './run-block.js'

/** What a service does with a request, after it has read it. */
interface Behaviour {
  /** Undefined: the connection is cut. */
  readonly status?: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

type Outcome = 'accepted' | 'refused' | 'permanent' | 'unknown'

interface MailService {
  /** The number of its block in docs/emails.md. */
  readonly block: number
  readonly modules: (base: string) => Readonly<Record<string, unknown>>
  readonly cases: readonly (readonly [Behaviour, Outcome, problem: string])[]
}

/** The service has read the request, and the connection is lost. */
const LOST: Behaviour = {}

const SERVICES: Readonly<Record<string, MailService>> = {
  Resend: {
    block: 0,
    modules: (base) => ({
      resend: {
        Resend: class extends resend.Resend {
          constructor() {
            super('re_key', { baseUrl: base })
          }
        },
      },
    }),
    cases: [
      [{ status: 200, body: { id: '4ef9a417' } }, 'accepted', ''],
      [failResend(422, 'validation_error'), 'permanent', 'validation_error 422'],
      [failResend(403, 'validation_error'), 'refused', 'validation_error 403'],
      [failResend(401, 'missing_api_key'), 'refused', 'missing_api_key 401'],
      [failResend(429, 'daily_quota_exceeded'), 'refused', 'daily_quota_exceeded 429'],
      [failResend(500, 'internal_server_error'), 'refused', 'internal_server_error 500'],
      [{ status: 504 }, 'unknown', 'application_error 504'],
      [LOST, 'unknown', 'application_error'],
    ],
  },
  Postmark: {
    block: 1,
    modules: (base) => ({
      postmark: {
        ServerClient: class extends postmark.ServerClient {
          constructor() {
            super('token', { useHttps: false, requestHost: new URL(base).host })
          }
        },
      },
    }),
    cases: [
      [{ status: 200, body: { ErrorCode: 0, Message: 'OK', MessageID: 'b7bc2f4a' } }, 'accepted', ''],
      [failPostmark(422, 406), 'permanent', 'InactiveRecipientsError 406 422'],
      [failPostmark(422, 300), 'permanent', 'InvalidEmailRequestError 300 422'],
      [failPostmark(422, 405), 'refused', 'ApiInputError 405 422'],
      [failPostmark(401, 10), 'refused', 'InvalidAPIKeyError 10 401'],
      [failPostmark(429, 429), 'refused', 'RateLimitExceededError 429'],
      [{ status: 503 }, 'refused', '503'],
      [{ status: 502 }, 'unknown', '502'],
      [LOST, 'unknown', 'PostmarkError'],
    ],
  },
  'Amazon SES': {
    block: 2,
    modules: (base) => ({
      '@aws-sdk/client-sesv2': {
        SendEmailCommand: ses.SendEmailCommand,
        SESv2Client: class extends ses.SESv2Client {
          constructor(options: object) {
            const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
            super({ region: 'eu-central-1', endpoint: base, credentials, ...options })
          }
        },
      },
    }),
    cases: [
      [{ status: 200, body: { MessageId: '0100018f' } }, 'accepted', ''],
      [failSes(400, 'MessageRejected'), 'permanent', 'MessageRejected 400'],
      [failSes(400, 'BadRequestException'), 'permanent', 'BadRequestException 400'],
      [failSes(400, 'AccountSuspendedException'), 'refused', 'AccountSuspendedException 400'],
      [failSes(400, 'LimitExceededException'), 'refused', 'LimitExceededException 400'],
      [failSes(403, 'InvalidSignatureException'), 'refused', 'InvalidSignatureException 403'],
      [failSes(429, 'TooManyRequestsException'), 'refused', 'TooManyRequestsException 429'],
      [failSes(500, 'InternalFailure'), 'refused', 'InternalFailure 500'],
      [LOST, 'unknown', 'ECONNRESET'],
    ],
  },
  'a service with fetch': {
    block: 3,
    modules: () => ({}),
    cases: [
      [{ status: 202, body: {} }, 'accepted', ''],
      [{ status: 422, body: {} }, 'permanent', '422'],
      [{ status: 401, body: {} }, 'refused', '401'],
      [{ status: 503, body: {} }, 'refused', '503'],
      [{ status: 504, body: {} }, 'unknown', '504'],
      [LOST, 'unknown', 'UND_ERR_SOCKET'],
    ],
  },
}

function failResend(statusCode: number, name: string): Behaviour {
  return { status: statusCode, body: { statusCode, name, message: 'The e-mail "epa_key_" was not accepted.' } }
}

function failPostmark(status: number, ErrorCode: number): Behaviour {
  return { status, body: { ErrorCode, Message: 'Not accepted.' } }
}

function failSes(status: number, name: string): Behaviour {
  return { status, headers: { 'X-Amzn-ErrorType': name }, body: { message: 'Not accepted.' } }
}

describe.each(Object.entries(SERVICES))('docs/emails.md: a mailer of %s', (_name, { block, modules, cases }) => {
  it.each(cases)('that gets the answer %j: the e-mail is %s, its problem "%s"', async (behaviour, outcome, problem) => {
    const service = await openMailService(behaviour)
    const mailer = await readMailer(block, modules(service.base), service.base)
    const provider = openProvider({ onTestFinished }, { mailer })
    const { id } = await provider.register(['catalog'])
    const states = { accepted: 'active', refused: 'pending', permanent: 'pending', unknown: 'pending' }

    if (outcome === 'accepted') {
      await expect.poll(() => provider.getStatus(id)).toBe('active')
      expect(await provider.listEmails(id)).toEqual([])
    } else {
      const email = await waitForAttempts(provider, id, 1)
      expect(email.problem?.split(' ')).toEqual(expect.arrayContaining(problem.split(' ').filter(Boolean)))
      expect(email.state).toBe(outcome === 'permanent' ? 'failed' : 'due')
    }
    expect(service.requests).toHaveLength(1)
    expect(await provider.getStatus(id)).toBe(states[outcome])

    // Whoever got the e-mail must be able to use its key, unless the service has certainly refused it.
    const clientId = KEY.exec(service.requests[0]!)?.[0] ?? ''
    const worked = outcome === 'accepted' || outcome === 'unknown'
    expect(await provider.keyStatus({ clientId })).toBe(worked ? 200 : 401)
    expectNoCredentials({ clientId }, [provider.logger.lines, provider.events])
    expect(service.requests[0]).toMatch(/Auto-Submitted\W+(Value\W+)?auto-generated/)
  })
})

/** Runs the block as it stands in the page; only the address of the service is another one. */
async function readMailer(block: number, modules: Readonly<Record<string, unknown>>, base: string): Promise<Mailer> {
  const fetchFrom = (_url: string, init: RequestInit): Promise<Response> => fetch(base, init)
  const variables = { process: { env: {} }, fetch: fetchFrom }
  const { mailer } = await runBlock(
    'docs/emails.md',
    'Resend, Postmark, Amazon SES',
    { variables, modules, returned: ['mailer'] },
    block,
  )
  return mailer as Mailer
}

async function openMailService(behaviour: Behaviour): Promise<{ base: string; requests: string[] }> {
  const requests: string[] = []
  const { url } = await useServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => void chunks.push(chunk))
    req.on('end', () => {
      requests.push(Buffer.concat(chunks).toString())
      answer(res, behaviour)
    })
  })
  return { base: url, requests }
}

function answer(res: ServerResponse, { status, body, headers = {} }: Behaviour): void {
  if (status === undefined) return void res.destroy()
  res.writeHead(status, { 'Content-Type': body ? 'application/json' : 'text/html', ...headers })
  res.end(body ? JSON.stringify(body) : '<html><body>Error</body></html>')
}
