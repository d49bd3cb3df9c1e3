import { inspect } from 'node:util'
import type { Api } from '../../shared/contracts/api.js'
import type { Brand } from '../../shared/contracts/brand.js'
import type {
  ComposedEmail,
  ComposeEmail,
  EmailToCompose,
  EmailMessage,
} from '../../shared/contracts/composed-email.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { writeApiSamples } from './api-commands.js'
import { writeTexts } from './email-texts.js'
import { formatHtml, formatText } from './layout.js'
import { TEXTS } from './texts/languages.js'
import { hasOwnMember, isObject, ownMembers } from '../../shared/lib/own-members.js'
import { callInTime } from '../../shared/lib/timeout.js'

export type WriteEmail = (content: EmailContent) => Promise<EmailMessage>

export function createEmailWriter(options: {
  readonly apis: ReadonlyMap<string, Api>
  readonly baseUrl: string
  readonly developersUrl: string | undefined
  readonly portalUrl: string | undefined
  readonly brand: Brand
  readonly composeEmail: ComposeEmail | undefined
  readonly logger: Pick<Logger, 'error'>
}): WriteEmail {
  const { apis, baseUrl, developersUrl, portalUrl, brand, composeEmail, logger } = options
  const { host } = new URL(baseUrl)
  const { name: operator = host, supportUrl } = brand
  const platform = operator === host ? host : `${operator} (${host})`

  return async function writeEmail(content) {
    const { to, language } = content
    const texts = writeTexts(content, { apis, platform, operator, developersUrl, portalUrl, supportUrl })
    const { subject } = texts
    const { colon } = TEXTS[language]
    const standard: ComposedEmail = {
      subject,
      text: formatText(texts, colon),
      html: formatHtml(texts, { language, colon, brand, host }),
    }
    if (!composeEmail) return { to, ...standard, headers: AUTOMATIC }
    const email: EmailToCompose = {
      ...content,
      host,
      developersUrl,
      brand,
      apis: listApiNames(content).flatMap((name) => apis.get(name) ?? []),
      writeSamples(name) {
        const api = apis.get(name)
        return api ? writeApiSamples(api, content) : []
      },
      texts,
      standard,
    }
    return { to, ...((await callHostCompose(composeEmail, email, logger)) ?? standard), headers: AUTOMATIC }
  }
}

/** An automatic reply (RFC 3834) would quote the credentials of an e-mail. Exchange reads only its own header. */
const AUTOMATIC: EmailMessage['headers'] = Object.freeze({
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
})

function listApiNames(content: EmailContent): readonly string[] {
  if (hasOwnMember(content, 'usableAt')) return content.usableAt
  if (hasOwnMember(content, 'granted')) return Object.keys(content.granted)
  if (hasOwnMember(content, 'requested')) return Object.keys(content.requested)
  if (content.purpose === 'rejected') return content.api === undefined ? [] : [content.api]
  if (content.purpose === 'signIn' || content.purpose === 'changes') return []
  return Object.keys(content.application.apis)
}

const MAX_SUBJECT_LENGTH = 200
const MAX_BODY_LENGTH = 500_000

/** Calls the host's `emails.compose`. Resolves undefined, and logs the reason, if its result cannot be sent. */
async function callHostCompose(compose: ComposeEmail, email: EmailToCompose, logger: Pick<Logger, 'error'>) {
  const values = listIndispensable(email)
  try {
    return checkComposed(await callInTime('emails.compose', () => compose(email), { background: true }), values)
  } catch (error) {
    logger.error(
      `emails.compose did not write the e-mail with the purpose ${email.purpose}; the built-in one is sent.`,
      quotes(error, values) ? new Error('The error is not shown, because it quotes the e-mail.') : error,
    )
    return undefined
  }
}

/** The texts that the recipient needs. Of a link its fragment or last segment: HTML may escape what precedes. */
function listIndispensable(email: EmailContent): readonly string[] {
  const links = hasOwnMember(email, 'links')
    ? Object.values(email.links)
    : hasOwnMember(email, 'link')
      ? [email.link]
      : []
  const credentials = hasOwnMember(email, 'credentials') ? Object.values(email.credentials ?? {}) : []
  const codes = hasOwnMember(email, 'code') ? [email.code] : credentials
  return [
    ...codes,
    ...links.flatMap((link) => link?.slice(Math.max(link.lastIndexOf('#'), link.lastIndexOf('/')) + 1) ?? []),
  ]
}

function checkComposed(composed: unknown, values: readonly string[]): ComposedEmail {
  if (!isObject(composed)) throw new TypeError('It did not return { subject, text, html }.')
  const { subject, text, html } = ownMembers(composed)
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT_LENGTH || /\p{C}/u.test(subject))
    throw new TypeError(`The subject is not one line of 1 to ${MAX_SUBJECT_LENGTH} characters.`)
  for (const [member, body] of Object.entries({ text, html })) {
    if (typeof body !== 'string' || body === '' || body.length > MAX_BODY_LENGTH)
      throw new TypeError(`${member} is not a string of 1 to ${MAX_BODY_LENGTH} characters.`)
    if (values.some((value) => !body.includes(value)))
      throw new TypeError(`${member} lacks a credential, code or link of the e-mail.`)
  }
  if (values.some((value) => subject.includes(value)))
    throw new TypeError('The subject has a credential, code or link of the e-mail; mail servers log subjects.')
  return { subject, text: text as string, html: html as string }
}

function quotes(error: unknown, values: readonly string[]): boolean {
  const shown = inspect(error, { depth: 5, maxStringLength: Infinity })
  return values.some((value) => shown.includes(value))
}
