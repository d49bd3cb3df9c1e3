import type { PreparedBody, PreparedCall, SampleLanguage } from './prepare.js'

export interface SampleWriter {
  readonly language: SampleLanguage
  readonly label: string
  /** The call, and before it the token request, whose access token is kept until it expires. */
  writeCall(call: PreparedCall): string
}

/** The words of a language. The order of the steps is that of createSampleWriter(). */
interface LanguageSyntax extends Pick<SampleWriter, 'language' | 'label'> {
  quote(text: string): string
  readVariable(name: string): string
  readonly bearer: string
  /** The variable of the program that has the key; the key stands in the header if left out. */
  readonly keyName?: string
  readonly bodies: { readonly [Kind in PreparedBody['kind']]: (body: PreparedBody & { kind: Kind }) => WrittenBody }
  write(call: CallCode): string
}

interface WrittenBody {
  readonly code: string
  readonly before?: string
  /** The code of the media type, where the body's does not send it by itself. */
  readonly contentType?: string
  readonly packages?: readonly string[]
}

type Header = readonly [name: string, code: string]

interface CredentialCode {
  readonly credential: Header | undefined
  readonly key?: string
  readonly token?: TokenCode
  readonly readsEnvironment: boolean
}

/** A call as code of a language. */
export interface CallCode extends CredentialCode, Pick<PreparedCall, 'method' | 'url' | 'headers'> {
  readonly body: WrittenBody | undefined
  /** The header of the credential, the others, and that of the media type. */
  readonly allHeaders: readonly Header[]
}

export type TokenCode = Readonly<Record<'endpoint' | 'key' | 'secret', string>> & { readonly margin: number }

/** An access token is no longer used that many seconds before it expires. */
const EXPIRY_MARGIN_SECONDS = 30

export function createSampleWriter(syntax: LanguageSyntax): SampleWriter {
  const { language, label, quote, readVariable, bearer, keyName, bodies, write } = syntax
  const read = (value: string | undefined, name: string): string =>
    value === undefined ? readVariable(name) : quote(value)

  function writeCredential(given: PreparedCall['credential']): CredentialCode {
    if (!given) return { credential: undefined, readsEnvironment: false }
    if (given.kind === 'key') {
      const key = read(given.key, 'API_KEY')
      return { key, credential: [given.header, keyName ?? key], readsEnvironment: given.key === undefined }
    }
    const { tokenEndpoint, credentials: { key, secret } = {} } = given.request
    return {
      token: {
        endpoint: quote(tokenEndpoint),
        key: read(key, 'CLIENT_ID'),
        secret: read(secret, 'CLIENT_SECRET'),
        margin: EXPIRY_MARGIN_SECONDS,
      },
      credential: ['Authorization', bearer],
      readsEnvironment: key === undefined || secret === undefined,
    }
  }

  return {
    language,
    label,
    writeCall({ body: given, credential, ...call }) {
      // Safe, because the kind of a body is the name of its function.
      const body = given && (bodies[given.kind] as (body: PreparedBody) => WrittenBody)(given)
      const written = writeCredential(credential)
      const allHeaders: Header[] = [
        ...(written.credential ? [written.credential] : []),
        ...call.headers.map(([name, value]): Header => [name, quote(value)]),
        ...(body?.contentType === undefined ? [] : [['Content-Type', body.contentType] satisfies Header]),
      ]
      return write({ ...call, ...written, body, allHeaders })
    },
  }
}
