import { afterEach, describe, expect, it } from 'vitest'
import { callService, readServiceFailure } from '../../../src/shared/lib/service-failure.js'

/** `accepted`, or what the platform does about the failure. */
async function judge(call: () => unknown): Promise<string> {
  try {
    await callService(call)
    return 'accepted'
  } catch (error) {
    const { refused, permanent } = readServiceFailure(error)
    return permanent ? 'permanent' : refused ? 'refused' : 'unknown'
  }
}

const circle: { data?: object } = {}
circle.data = circle

/** An answer of SES after so many attempts. */
const ses = (httpStatusCode: number, attempts = 1) => ({ $metadata: { httpStatusCode, attempts } })

const failed = (members: object, message = 'failed'): Error => Object.assign(new Error(message), members)

describe('callService()', () => {
  it.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'OK'],
    ['true', true],
    ['an id', { id: '4ef9a417' }],
    ['Resend', { data: { id: '4ef9a417' }, error: null, headers: { status: '200' } }],
    ['Postmark', { To: 'a@b.example', SubmittedAt: '2026-01-01', MessageID: 'b7', ErrorCode: 0, Message: 'OK' }],
    ['SES', { ...ses(200), MessageId: '0100018f' }],
    ['SES after a second attempt', { ...ses(200, 2), MessageId: '0100018f' }],
    ['SendGrid', [{ statusCode: 202, body: '', headers: {} }, '']],
    ['Mailgun', { id: '<1@mg.example>', message: 'Queued. Thank you.', status: 200 }],
    ['Mandrill', [{ email: 'a@b.example', status: 'sent', _id: '1', reject_reason: null }]],
    ['Mailjet', { response: { status: 200 }, body: { Messages: [{ Status: 'success', Errors: [] }] } }],
    ['SMTP2GO', { request_id: '1', data: { succeeded: 1, failed: 0, failures: [], email_id: '1' } }],
    ['SparkPost', { results: { total_rejected_recipients: 0, total_accepted_recipients: 1, id: '1' } }],
    ['Brevo', { response: { statusCode: 201 }, body: { messageId: '<1@b.example>' } }],
    ['nodemailer', { accepted: ['a@b.example'], rejected: [], response: '250 2.0.0 Ok: queued as 550' }],
    ['Azure', { id: '1', status: 'Succeeded', error: undefined }],
    ['fetch', Response.json({ id: 1 }, { status: 202 })],
    ['axios', { status: 200, data: { success: true, errors: [] }, config: {}, request: {} }],
    ['empty errors', { error: '', errors: [], failed: 0, success: true }],
    ['a circle', circle],
  ])('takes the success of %s as one', async (_sdk, result) => {
    expect(await judge(async () => result)).toBe('accepted')
  })

  it.each<readonly [string, unknown, string]>([
    ['Resend, without a connection', { data: null, error: { name: 'application_error', statusCode: null } }, 'unknown'],
    ['Resend, login', { data: null, error: { name: 'restricted_api_key', statusCode: 401 } }, 'refused'],
    ['Resend, address', { data: null, error: { name: 'validation_error', statusCode: 422 } }, 'permanent'],
    ['an error that is a text', { error: 'no such user' }, 'unknown'],
    ['an error that is a text, with a status', { error: 'no such user', status: 404 }, 'refused'],
    ['an error that is true', { error: true, statusCode: 500 }, 'refused'],
    ['a status as text', { error: { status: '422' } }, 'permanent'],
    ['a status of success beside an error', { error: { message: 'x' }, statusCode: 200 }, 'unknown'],
    ['errors', { errors: [{ message: 'x' }], data: null }, 'unknown'],
    ['errors by field', { errors: { to: ['is invalid'] }, status: 422 }, 'permanent'],
    ['Supabase', { data: null, error: { context: new Response('', { status: 503 }) } }, 'refused'],
    ['Supabase, without a connection', { data: null, error: { context: new TypeError('x') } }, 'unknown'],
    ['fetch', new Response('', { status: 503 }), 'refused'],
    ['fetch, address', new Response('', { status: 422 }), 'permanent'],
    ['fetch, a gateway', new Response('', { status: 502 }), 'unknown'],
    ['fetch, Cloudflare', new Response('', { status: 524 }), 'unknown'],
    ['fetch, a network error', Response.error(), 'unknown'],
    ['axios without validateStatus', { status: 429, data: {}, config: {} }, 'refused'],
    ['axios, an answer that says no', { status: 200, data: { success: false } }, 'unknown'],
    ['Postmark, several messages', [{ ErrorCode: 0 }, { ErrorCode: 406, Message: 'Inactive recipient' }], 'permanent'],
    ['Postmark, account', { ErrorCode: 412, Message: 'Pending approval' }, 'refused'],
    ['Mandrill, which resolves with an error', failed({ response: { status: 500 } }), 'refused'],
    ['Mandrill, a recipient', [{ email: 'a@b.example', status: 'rejected', reject_reason: 'hard-bounce' }], 'unknown'],
    ['Mailjet', { body: { Messages: [{ Status: 'error', Errors: [{ StatusCode: 400 }] }] } }, 'unknown'],
    ['SMTP2GO', { data: { succeeded: 0, failed: 1, failures: ['x'] } }, 'unknown'],
    ['SparkPost', { results: { total_rejected_recipients: 1, total_accepted_recipients: 0 } }, 'unknown'],
    ['Azure', { id: '1', status: 'Failed', error: { code: 'EmailDroppedAllRecipientsSuppressed' } }, 'unknown'],
    ['SendGrid with a list', [{ statusCode: 400, body: {} }, {}], 'permanent'],
    ['Mailgun with a status', { status: 401, message: 'Forbidden' }, 'refused'],
    ['nodemailer', { accepted: [], rejected: ['a@b.example'], response: '550 5.1.1 No such user' }, 'permanent'],
    ['nodemailer, for now', { accepted: [], rejected: ['a@b.example'], response: '450 4.2.1 Try later' }, 'refused'],
    ['nodemailer, errors', { rejected: ['a@b.example'], rejectedErrors: [failed({ responseCode: 452 })] }, 'refused'],
    ['nodemailer, without a reply', { accepted: [], rejected: ['a@b.example'] }, 'unknown'],
    ['Promise.allSettled', [{ status: 'rejected', reason: failed({ statusCode: 429 }) }], 'refused'],
    ['Promise.allSettled, of results', [{ status: 'fulfilled', value: { error: { statusCode: 422 } } }], 'permanent'],
    ['ok', { ok: false }, 'unknown'],
    ['success', { success: false }, 'unknown'],
    ['false', false, 'unknown'],
    ['its own decision', { error: { refused: true, permanent: true } }, 'permanent'],
    ['its own decision against the status', { error: { refused: false, statusCode: 422 } }, 'unknown'],
  ])('takes the failure of %s as one', async (_sdk, result, expected) => {
    expect(await judge(async () => result)).toBe(expected)
  })

  it.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'unknown'],
    ['a text', 'no', 'unknown'],
    ['an error', new Error('no'), 'unknown'],
    ['a time-out', new DOMException('no', 'TimeoutError'), 'unknown'],
    ['a lost connection', failed({ code: 'ECONNRESET' }), 'unknown'],
    ['fetch, without a connection', new TypeError('x', { cause: failed({ code: 'ECONNREFUSED' }) }), 'unknown'],
    ['Postmark, address', failed({ name: 'ApiInputError', code: 300, statusCode: 422 }), 'permanent'],
    ['Postmark, without a connection', failed({ name: 'PostmarkError', code: 0, statusCode: 0 }), 'unknown'],
    ['SES', failed({ name: 'MessageRejected', $fault: 'client', ...ses(400) }), 'permanent'],
    ['SES, account', failed({ name: 'SendingPausedException', ...ses(400) }), 'refused'],
    ['SES, after a repeated request', failed({ name: 'MessageRejected', ...ses(400, 2) }), 'unknown'],
    ['SES, without a connection', failed({ code: 'ECONNRESET', $metadata: { attempts: 1 } }), 'unknown'],
    ['SendGrid', failed({ code: 401, response: { headers: {}, body: { errors: [] } } }), 'refused'],
    ['SendGrid, address', failed({ code: 400, response: { headers: {}, body: { errors: [] } } }), 'permanent'],
    ['SendGrid, without a connection', failed({ code: 'ECONNREFUSED' }), 'unknown'],
    ['Mailgun', failed({ status: 401, details: 'Forbidden', type: 'MailgunAPIError' }), 'refused'],
    ['axios', failed({ code: 'ERR_BAD_REQUEST', response: { status: 413 } }), 'permanent'],
    ['axios, without an answer', failed({ code: 'ECONNABORTED', request: {}, response: undefined }), 'unknown'],
    ['MailerSend, which rejects with a plain object', { statusCode: 429, headers: {}, body: {} }, 'refused'],
    ['nodemailer', failed({ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }), 'permanent'],
    ['nodemailer, a number of a gateway', failed({ responseCode: 502, command: 'RCPT TO' }), 'permanent'],
    ['nodemailer, login', failed({ code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' }), 'refused'],
    ['nodemailer, without a reply', failed({ code: 'ESOCKET', command: 'CONN' }), 'unknown'],
    ['the contract, refused', failed({ refused: true }), 'refused'],
    ['the contract, permanent', failed({ permanent: true }), 'permanent'],
    ['the contract, not permanent', failed({ refused: true, permanent: false, status: 422 }), 'refused'],
    ['a status that is none', failed({ status: 'failed', statusCode: 4220 }), 'unknown'],
  ])('reads the rejection of %s', async (_sdk, error, expected) => {
    expect(await judge(() => Promise.reject(error as Error))).toBe(expected)
    expect(
      await judge(() => {
        throw error
      }),
    ).toBe(expected)
  })
})

describe('readServiceFailure()', () => {
  const problemOf = (error: unknown): string => readServiceFailure(error).problem

  it('names codes, and no text that may repeat the e-mail', () => {
    expect(problemOf(failed({ name: 'MessageRejected', $metadata: { httpStatusCode: 400 } }))).toBe(
      'MessageRejected 400',
    )
    expect(problemOf(failed({ code: 'EENVELOPE', responseCode: 550 }))).toBe('EENVELOPE 550')
    expect(problemOf(new TypeError('fetch failed', { cause: failed({ code: 'ECONNREFUSED' }) }))).toBe('ECONNREFUSED')
    expect(problemOf(failed({ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }))).toBe('ESOCKET ECONNREFUSED')
    const credential = `epa_key_${'a'.repeat(34)}`
    for (const member of ['name', 'code', 'status', 'responseCode', 'message', 'response']) {
      expect(problemOf(failed({ [member]: credential }))).not.toContain('aaaa')
    }
  })

  afterEach(() => {
    delete (Object.prototype as { error?: unknown; statusCode?: unknown }).error
    delete (Object.prototype as { statusCode?: unknown }).statusCode
  })

  it('takes no member of a polluted Object.prototype', async () => {
    Object.assign(Object.prototype, { error: { statusCode: 422 }, statusCode: 422 })
    expect(await judge(async () => ({ id: 1 }))).toBe('accepted')
    expect(readServiceFailure(new Error('no')).permanent).toBe(false)
  })
})
