import {
  EXPIRY_MARGIN_SECONDS,
  type SampleField,
  type SampleTokenRequest,
  type PreparedBody,
  type PreparedCall,
  type SampleWriter,
  type WrittenBody,
} from './prepare.js'
import { C_STRING, escapeText, escapeTripleQuotes, isMultiline, quoteLikeC as quote } from './literal.js'
import type { StringSyntax } from './literal.js'
import { createMultipart } from './multipart.js'

export const python: SampleWriter = {
  language: 'python',
  label: 'Python',
  writeCall(call) {
    const { credential } = call
    const sections =
      credential?.kind === 'accessToken'
        ? [...writeTokenSections(credential.request)]
        : credential?.kind === 'key'
          ? [
              writeImports(
                credential.key === undefined ? ['os'] : [],
                `API_KEY = ${readValue(credential.key, 'API_KEY')}`,
              ),
            ]
          : [writeImports([])]
    return [
      ...sections,
      writeCallFunction(call),
      'response = call_api()\nprint(response.status_code, response.text)',
    ].join('\n\n\n')
  },
}

function writeImports(modules: readonly string[], constants?: string): string {
  const standard = modules.map((name) => `import ${name}\n`).join('')
  const lines = `${standard}${standard === '' ? '' : '\n'}import requests`
  return constants === undefined ? lines : `${lines}\n\n${constants}`
}

function writeTokenSections({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string[] {
  const { key, secret } = credentials
  const modules = key === undefined || secret === undefined ? ['os', 'time'] : ['time']
  return [
    writeImports(
      modules,
      `CLIENT_ID = ${readValue(key, 'CLIENT_ID')}
CLIENT_SECRET = ${readValue(secret, 'CLIENT_SECRET')}

_access_token = ""
_expires_at = 0.0`,
    ),
    `def get_access_token():
    """Requests an access token, and keeps it until ${EXPIRY_MARGIN_SECONDS} seconds before it expires."""
    global _access_token, _expires_at
    if time.time() >= _expires_at:
        response = requests.post(
            ${quote(tokenEndpoint)},
            auth=(CLIENT_ID, CLIENT_SECRET),
            data={"grant_type": "client_credentials"},
            timeout=30,
        )
        response.raise_for_status()
        answer = response.json()
        _access_token = answer["access_token"]
        _expires_at = time.time() + answer["expires_in"] - ${EXPIRY_MARGIN_SECONDS}
    return _access_token`,
  ]
}

function writeCallFunction({ method, url, headers, body, credential }: PreparedCall): string {
  const written = body && writeBody(body)
  const headerLines = headers.map(([name, value]) => `            ${quote(name)}: ${quote(value)},\n`)
  if (written?.contentType !== undefined)
    headerLines.push(`            "Content-Type": ${quote(written.contentType)},\n`)
  if (credential?.kind === 'accessToken')
    headerLines.unshift('            "Authorization": f"Bearer {get_access_token()}",\n')
  if (credential?.kind === 'key') headerLines.unshift(`            ${quote(credential.header)}: API_KEY,\n`)
  return `def call_api():
    return requests.request(
        ${quote(method)},
        ${quote(url)},
${headerLines.length > 0 ? `        headers={\n${headerLines.join('')}        },\n` : ''}${written ? `        ${written.code},\n` : ''}        timeout=30,
    )`
}

function writeBody(body: PreparedBody): WrittenBody {
  switch (body.kind) {
    case 'text':
      return { code: `data=${quoteText(body.text)}.encode()` }
    case 'file':
      return { code: `data=${openFile(body.file.name)}` }
    case 'form':
      return { code: `data=${writeList(body.fields.map(([name, value]) => `(${quote(name)}, ${quoteText(value)})`))}` }
    case 'multipart':
    default:
      return writeMultipart(body)
  }
}

function writeMultipart(body: PreparedBody & { kind: 'multipart' }): WrittenBody {
  if (body.mediaType === 'multipart/form-data') return { code: `files=${writeList(body.fields.map(writePart))}` }
  const { contentType, parts } = createMultipart(body)
  const lines = parts.map((part) =>
    typeof part === 'string' ? `${quote(part)}.encode()` : `${openFile(part.name)}.read()`,
  )
  return { contentType, code: `data=b"".join(${writeList(lines)})` }
}

/** A tuple of the name and a tuple: name of the file, content, media type, headers. */
function writePart(field: SampleField): string {
  const { name, mediaType, headers = [] } = field
  const values =
    'file' in field ? [quote(field.file.name), openFile(field.file.name)] : ['None', quoteText(field.value)]
  if (mediaType !== undefined || headers.length > 0) values.push(mediaType === undefined ? 'None' : quote(mediaType))
  if (headers.length > 0)
    values.push(`{${headers.map(([header, value]) => `${quote(header)}: ${quote(value)}`).join(', ')}}`)
  return `(${quote(name)}, (${values.join(', ')}))`
}

function writeList(items: readonly string[]): string {
  return `[\n${items.map((item) => `            ${item},\n`).join('')}        ]`
}

function openFile(name: string): string {
  return `open(${quote(name)}, "rb")`
}

function readValue(value: string | undefined, variable: string): string {
  return value === undefined ? `os.environ["${variable}"]` : quote(value)
}

const LONG_STRING: StringSyntax = { ...C_STRING, escapes: { '\\': '\\\\', '\n': '\n', '\t': '\t' } }

function quoteText(text: string): string {
  if (!isMultiline(text)) return quote(text)
  return `"""${escapeTripleQuotes(escapeText(text, LONG_STRING))}"""`
}
