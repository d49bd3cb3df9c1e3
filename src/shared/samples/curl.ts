import { shellQuote } from '../lib/shell-quote.js'
import {
  type SampleCall,
  type SampleField,
  type SampleTokenRequest,
  prepareCall,
  type PreparedBody,
  type PreparedCall,
  type PreparedCredential,
} from './prepare.js'
import { escapeText, hasHidden, type StringSyntax } from './literal.js'
import { ASSERTION_TYPE } from './private-key.js'
import type { SampleWriter } from './sample-writer.js'

/** Commands for a POSIX shell. They have no comments: zsh does not know comments in what is pasted. */
export const curl: SampleWriter = {
  language: 'curl',
  label: 'curl',
  writeCall(call) {
    const { credential } = call
    const command = formatCall(call, LINES)
    return credential?.kind === 'accessToken' ? `${formatTokenAssignment(credential.request)}\n\n${command}` : command
  },
}

/** Separators of the words of a command: by default, each word has a line of its own. */
const LINES = ' \\\n  '
export const ONE_LINE = ' '

/** The command that puts an access token into `$ACCESS_TOKEN`, which the command of a call uses. */
export function formatTokenAssignment(request: SampleTokenRequest, separator = LINES): string {
  const command = `curl ${['-sSf', ...listTokenWords(request)].join(separator)}`
  // A line may end after a pipe.
  const pipe = separator === LINES ? ' |\n  ' : ' | '
  return `ACCESS_TOKEN=$(${command}${pipe}${READ_TOKEN})`
}

export function formatCallCommand(call: SampleCall, separator = LINES): string {
  return formatCall(prepareCall(call), separator)
}

function formatCall({ method, url, headers, body, credential }: PreparedCall, separator: string): string {
  if (body && method === 'HEAD') return '# curl sends no body with HEAD. The samples in other languages do.'
  const bodyWords = body ? listBodyWords(body) : []
  const words = [
    ...listMethodWords(method, bodyWords.length > 0),
    ...(credential ? [formatCredential(credential)] : []),
    // A header without a value ends with `;`: with `:` curl would leave it out.
    ...headers.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...bodyWords,
    quote(url),
  ]
  return `curl ${words.join(separator)}`
}

const READ_TOKEN = `sed 's/.*"access_token":"\\{0,1\\}\\([^",}]*\\).*/\\1/'`

function listTokenWords({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string[] {
  const { key, secret, provesKey } = credentials
  const user = joinWord(['', key, 'CLIENT_ID'], [':', secret, 'CLIENT_SECRET'])
  const proof = [`-d client_assertion_type=${ASSERTION_TYPE}`, '-d "client_assertion=$CLIENT_ASSERTION"']
  return [...(provesKey === true ? proof : [`-u ${user}`]), '-d grant_type=client_credentials', quote(tokenEndpoint)]
}

function listMethodWords(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quote(method)}`]
}

function formatCredential(credential: PreparedCredential): string {
  if (credential.kind === 'key') return `-H ${joinWord([`${credential.header}: `, credential.key, 'API_KEY'])}`
  return `-H ${joinWord(['Authorization: Bearer ', undefined, 'ACCESS_TOKEN'])}`
}

function listBodyWords(body: PreparedBody): string[] {
  switch (body.kind) {
    case 'text':
      return [`--data-raw ${quote(body.text)}`]
    case 'file':
      return [`--data-binary ${quote(`@${body.file.name}`)}`]
    case 'form':
      // curl encodes what is after the first `=`.
      return body.fields.map(([name, value]) => `--data-urlencode ${quote(`${encodeURIComponent(name)}=${value}`)}`)
    case 'multipart':
    default:
      // curl adds the boundary to another media type than its own.
      return [
        ...(body.mediaType === 'multipart/form-data' ? [] : [`-H ${quote(`Content-Type: ${body.mediaType}`)}`]),
        ...body.fields.map(formatPart),
      ]
  }
}

function formatPart(field: SampleField): string {
  // A name ends at the first `=`. What follows must not name a file.
  const name = field.name.replaceAll('=', '%3D')
  const { mediaType, headers = [] } = field
  if ('value' in field && mediaType === undefined && headers.length === 0)
    return `--form-string ${quote(`${name}=${field.value}`)}`
  const details = [
    ...(mediaType === undefined ? [] : [`type=${mediaType}`]),
    ...headers.map((header) => `headers=${quotePart(header.join(': '))}`),
  ]
  const content =
    'value' in field
      ? quotePart(field.value)
      : `@${/[;,"\\]|^\s|\s$/.test(field.file.name) ? quotePart(field.file.name) : field.file.name}`
  return `-F ${quote(`${name}=${[content, ...details].join(';')}`)}`
}

/** Quoted for curl, which reads `;`, `@` and `<` of a part otherwise. JSON needs it only for a semicolon. */
function quotePart(text: string): string {
  if (/^\{[^;]*\}$|^\[[^;]*\]$/.test(text)) return text
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

type WordPart = readonly [prefix: string, value: string | undefined, variable: string]

/** A word, in double quotes if it contains a variable, which stands for a value that is missing. */
function joinWord(...parts: readonly WordPart[]): string {
  if (parts.every(([, value]) => value !== undefined)) return quote(parts.map(([text, value]) => text + value).join(''))
  const joined = parts.map(([prefix, value, variable]) => {
    return (prefix + (value ?? '')).replaceAll(/["\\$`]/g, '\\$&') + (value === undefined ? `$${variable}` : '')
  })
  return `"${joined.join('')}"`
}

/** A word in double quotes if that is enough: Windows' command line, which has curl too, knows no other. */
function quote(word: string): string {
  if (hasHidden(word)) return quoteHidden(word)
  const quoted = shellQuote(word)
  return quoted === word || !/^[^"\\$`!%\n\r]+$/.test(word) ? quoted : `"${word}"`
}

/** A terminal obeys some control characters that are pasted into it, and readers do not see others: `printf` makes them. */
function quoteHidden(word: string): string {
  let end = word.length
  while (word[end - 1] === '\n') end--
  const command = `"$(printf -- ${shellQuote(escapeText(word.slice(0, end), PRINTF))})"`
  // The shell removes line breaks at the end of what a command prints.
  return end === word.length ? command : command + shellQuote(word.slice(end))
}

const PRINTF: StringSyntax = {
  escapes: { '\\': '\\\\', '%': '%%', '\n': '\n', '\t': '\t' },
  formatCode: (code) =>
    Array.from(
      new TextEncoder().encode(String.fromCodePoint(code)),
      (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
    ).join(''),
}
