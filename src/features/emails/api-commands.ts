import { listKeyScopes } from '../../core/applications/records/grants.js'
import type { Api } from '../../shared/contracts/api.js'
import type { EmailSample, EmailTexts } from '../../shared/contracts/composed-email.js'
import type { CredentialsEmail, EmailContent, EmailGrants } from '../../shared/contracts/email-content.js'
import { ANY_PATH, createGetCall, type SampleCall } from '../../shared/samples/prepare.js'
import { createSamples } from '../../shared/samples/samples.js'
import { createPrivateKeySamples } from '../../shared/samples/private-key.js'
import { formatCallCommand, formatTokenAssignment, ONE_LINE } from '../../shared/samples/curl.js'
import { TEXTS } from './texts/languages.js'

export function describeApis(
  names: readonly string[],
  content: EmailContent,
  options: {
    readonly apis: ReadonlyMap<string, Api>
    readonly developersUrl: string | undefined
  },
): EmailTexts['sections'] {
  return names.flatMap((name) => {
    const api = options.apis.get(name)
    return api ? [describeApi(api, content, options)] : []
  })
}

/** At the token endpoint the public id may stand for the key, which is a credential: web servers log the user name of HTTP Basic. */
export function describeId({ application, purpose, language }: CredentialsEmail, apis: ReadonlyMap<string, Api>) {
  const { labels } = TEXTS[language]
  if (purpose === 'key' || !usesTokens(application.apis, apis)) return []
  return [{ title: labels.applicationId, codes: [{ label: labels.publicId, code: application.id }], links: [] }]
}

export function usesTokens(granted: EmailGrants, apis: ReadonlyMap<string, Api>): boolean {
  return Object.keys(granted).some((api) => apis.get(api)?.scheme === 'oauth2')
}

function describeApi(api: Api, content: EmailContent, { developersUrl }: Parameters<typeof describeApis>[2]) {
  const { name, title, resource: issuer, tokenEndpoint, keyHeaders } = api
  const { labels } = TEXTS[content.language]
  const call = createCall(api, content)
  // One line per command: mail programs break lines, and backslashes at their ends would then be in the middle.
  const command = formatCallCommand(call, ONE_LINE)
  const links = developersUrl === undefined ? [] : [{ label: labels.languages, link: `${developersUrl}#api-${name}` }]
  if (tokenEndpoint === undefined) {
    // The answer of a token endpoint names the scopes of a token. Nothing but this names those of a key.
    const restriction = 'restriction' in content ? content.restriction : undefined
    const granted =
      ('application' in content && 'apis' in content.application && content.application.apis[name]?.scopes) || []
    const scopes = listKeyScopes(api, { apis: restriction }, granted)
    return {
      title,
      codes: [
        { label: labels.keyHeader, code: keyHeaders[0]! },
        { label: labels.useKey, code: command },
        ...(scopes.length > 0 ? [{ label: labels.keyScopes, code: scopes.join(' ') }] : []),
      ],
      links,
    }
  }
  const { credentials } = call
  const { key: clientId = '' } = credentials ?? {}
  return {
    title,
    codes: [
      { label: labels.tokenAddress, code: tokenEndpoint },
      { label: labels.getToken, code: formatTokenAssignment({ tokenEndpoint, credentials }, ONE_LINE) },
      ...(credentials?.provesKey === true
        ? [{ label: labels.withLibrary, code: createPrivateKeySamples({ issuer, tokenEndpoint, clientId })[0]!.code }]
        : []),
      { label: labels.useToken, code: command },
    ],
    links,
  }
}

export function writeApiSamples(api: Api, content: EmailContent): EmailSample[] {
  return createSamples(createCall(api, content))
}

function createCall(api: Api, content: EmailContent): SampleCall {
  return { ...createGetCall(api, ANY_PATH), credentials: readCredentials(api, content) }
}

/** The credentials of the e-mail; variables for those that its reader has. At a token endpoint the id is the key. */
function readCredentials({ scheme }: Api, content: EmailContent): SampleCall['credentials'] {
  const { clientId: key, clientSecret: secret } = ('credentials' in content && content.credentials) || {}
  if (scheme === 'apiKey' || content.purpose === 'signIn') return { key }
  const provesKey = 'publicKeys' in content && content.publicKeys !== undefined
  return { key: key ?? content.application.id, secret, provesKey }
}
