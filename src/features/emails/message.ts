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
import { callHostCompose } from './host-compose.js'
import { formatHtml } from './html-layout.js'
import { formatText } from './text-layout.js'
import { TEXTS } from './texts/languages.js'

/** Writes an e-mail, as text and as HTML: the host's `emails.compose` if there is one, otherwise the built-in words. */
export type WriteEmail = (content: EmailContent) => Promise<EmailMessage>

export function createEmailWriter(options: {
  readonly apis: ReadonlyMap<string, Api>
  readonly baseUrl: string
  readonly developersUrl: string | undefined
  /** The address of the page where contacts manage their applications; undefined if there is none. */
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
      apis: listApis(content, apis),
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

function listApis(content: EmailContent, apis: ReadonlyMap<string, Api>): Api[] {
  return listApiNames(content).flatMap((name) => {
    const api = apis.get(name)
    return api ? [api] : []
  })
}

function listApiNames(content: EmailContent): readonly string[] {
  switch (content.purpose) {
    case 'signIn':
    case 'changes':
      return []
    case 'rejected':
      return content.api === undefined ? [] : [content.api]
    case 'approvalRequest':
      return Object.keys(content.requested)
    case 'approved':
      return Object.keys(content.granted)
    case 'registration':
    case 'key':
    case 'secret':
      return content.usableAt
    case 'expiring':
    case 'invitation':
    case 'suspended':
    case 'quota':
    default:
      return Object.keys(content.application.apis)
  }
}
