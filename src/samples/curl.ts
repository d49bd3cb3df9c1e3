import { shellQuote } from '../lib/shell-quote.js'
import {
  EXPIRY_MARGIN_SECONDS,
  readTokenRequest,
  type SampleBody,
  type SampleCall,
  type SampleField,
  type SampleFile,
  type SampleTokenRequest,
} from './call.js'
import { encodeUrl } from './encode-url.js'
import type { SampleWriter } from './sample.js'

/** Commands for a POSIX shell. They have no comments: zsh does not know comments in what is pasted. */
export const curl: SampleWriter = {
  language: 'curl',
  label: 'curl',
  writeCall(call) {
    const request = readTokenRequest(call)
    const command = formatCallCommand(call)
    return request ? `${writeTokenCache(request)}\n\n${command}` : command
  },
  writeTokenRequest: (request) => formatTokenCommand(request),
}

/** Between the words of a command: each has a line of its own. */
const LINES = ' \\\n  '

/** The command that requests an access token. */
export function formatTokenCommand(request: SampleTokenRequest, separator = LINES): string {
  return `curl ${listTokenWords(request).join(separator)}`
}

/** The command that calls an API with what is in `$ACCESS_TOKEN`, or with the key. */
export function formatCallCommand(call: SampleCall, separator = LINES): string {
  const { method, url, headers, body } = call
  const words = [
    ...listMethodWords(method.toUpperCase(), body !== undefined),
    ...listCredentialWords(call),
    ...headers.map(formatHeader),
    ...(body ? listBodyWords(body) : []),
    quote(encodeUrl(url)),
  ]
  return `curl ${words.join(separator)}`
}

/** Keeps the access token in variables of the shell, for one token endpoint and scope at a time. */
function writeTokenCache(request: SampleTokenRequest): string {
  const { tokenEndpoint, scope = '' } = request
  const purpose = quote(`${tokenEndpoint} ${scope}`.trim())
  const command = `curl ${['-sSf', ...listTokenWords(request)].join(' \\\n    ')}`
  return `if [ "\${ACCESS_TOKEN_FOR:-}" != ${purpose} ] || [ "$(date +%s)" -ge "\${ACCESS_TOKEN_EXPIRES:-0}" ]; then
  ANSWER=$(${command})
  ACCESS_TOKEN=$(printf %s "$ANSWER" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  EXPIRES_IN=$(printf %s "$ANSWER" | sed 's/.*"expires_in":\\([0-9]*\\).*/\\1/')
  ACCESS_TOKEN_EXPIRES=$(($(date +%s) + \${EXPIRES_IN:-0} - ${EXPIRY_MARGIN_SECONDS}))
  ACCESS_TOKEN_FOR=${purpose}
fi`
}

function listTokenWords({ tokenEndpoint, scope, credentials = {} }: SampleTokenRequest): string[] {
  const user = formatWord('', credentials.key, 'CLIENT_ID')
  const password = formatWord(':', credentials.secret, 'CLIENT_SECRET')
  return [
    `-u ${joinWords(user, password)}`,
    '-d grant_type=client_credentials',
    ...(scope === undefined || scope === '' ? [] : [`--data-urlencode ${quote(`scope=${scope}`)}`]),
    quote(tokenEndpoint),
  ]
}

function listMethodWords(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quote(method)}`]
}

function listCredentialWords({ scheme, keyHeader = 'X-Api-Key', credentials = {} }: SampleCall): string[] {
  if (scheme === 'none') return []
  const word =
    scheme === 'apiKey'
      ? formatWord(`${keyHeader}: `, credentials.key, 'API_KEY')
      : formatWord('Authorization: Bearer ', undefined, 'ACCESS_TOKEN')
  return [`-H ${joinWords(word)}`]
}

/** A header without a value ends with `;`: with `:` curl would leave it out. */
function formatHeader([name, value]: readonly [string, string]): string {
  return `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`
}

function listBodyWords(body: SampleBody): string[] {
  const type = formatHeader(['Content-Type', body.mediaType])
  if ('text' in body) return [type, `--data-raw ${quote(body.text)}`]
  if ('file' in body) return [type, `--data-binary ${quote(`@${body.file.name}`)}`]
  if (body.mediaType.startsWith('multipart/')) return body.fields.map(formatPart)
  // curl encodes what is after the first `=`.
  return body.fields.map(
    (field) =>
      `--data-urlencode ${quote(`${encodeURIComponent(field.name)}=${'value' in field ? field.value : field.file.name}`)}`,
  )
}

function formatPart(field: SampleField): string {
  if ('value' in field) return `--form-string ${quote(`${field.name}=${field.value}`)}`
  return `-F ${quote(`${field.name}=@${formatFile(field.file)}`)}`
}

function formatFile({ name, mediaType }: SampleFile): string {
  const quoted = /[;,"\\]|^\s|\s$/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name
  return mediaType === undefined ? quoted : `${quoted};type=${mediaType}`
}

/** A part of a word: text as it is, then a value or the variable that stands for it. */
interface Word {
  readonly text: string
  readonly variable: string | undefined
}

function formatWord(prefix: string, value: string | undefined, variable: string): Word {
  return value === undefined ? { text: prefix, variable } : { text: prefix + value, variable: undefined }
}

/** In double quotes if there is a variable. */
function joinWords(...words: readonly Word[]): string {
  if (words.every(({ variable }) => variable === undefined)) return quote(words.map(({ text }) => text).join(''))
  const parts = words.map(
    ({ text, variable }) => text.replaceAll(/["\\$`]/g, '\\$&') + (variable === undefined ? '' : `$${variable}`),
  )
  return `"${parts.join('')}"`
}

/** In double quotes where that is enough: Windows' command line, which has curl too, knows no other. */
function quote(word: string): string {
  const quoted = shellQuote(word)
  return quoted === word || !/^[^"\\$`!%\n\r]+$/.test(word) ? quoted : `"${word}"`
}
