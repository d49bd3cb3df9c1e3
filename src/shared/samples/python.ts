import type { SampleField } from './prepare.js'
import { C_STRING, escapeText, escapeTripleQuotes, isMultiline, quoteLikeC as quote } from './literal.js'
import { createMultipart } from './multipart.js'
import { createSampleWriter, type CallCode, type TokenCode } from './sample-writer.js'

export const python = createSampleWriter({
  language: 'python',
  label: 'Python',
  quote,
  readVariable: (name) => `os.environ["${name}"]`,
  bearer: 'f"Bearer {get_access_token()}"',
  keyName: 'API_KEY',
  bodies: {
    text: ({ text }) => ({ code: `data=${quoteText(text)}.encode()` }),
    file: ({ file }) => ({ code: `data=${openFile(file.name)}` }),
    form: ({ fields }) => ({
      code: `data=${writeList(fields.map(([name, value]) => `(${quote(name)}, ${quoteText(value)})`))}`,
    }),
    multipart(body) {
      if (body.mediaType === 'multipart/form-data') return { code: `files=${writeList(body.fields.map(writePart))}` }
      const { contentType, parts } = createMultipart(body)
      const lines = parts.map((part) =>
        typeof part === 'string' ? `${quote(part)}.encode()` : `${openFile(part.name)}.read()`,
      )
      return { contentType: quote(contentType), code: `data=b"".join(${writeList(lines)})` }
    },
  },
  write(call) {
    const { token, key, readsEnvironment } = call
    const modules = [...(readsEnvironment ? ['os'] : []), ...(token ? ['time'] : [])]
    return [
      writeImports(modules, token ? writeTokenConstants(token) : key && `API_KEY = ${key}`),
      ...(token ? [writeTokenFunction(token)] : []),
      writeCallFunction(call),
      'response = call_api()\nprint(response.status_code, response.text)',
    ].join('\n\n\n')
  },
})

function writeImports(modules: readonly string[], constants?: string): string {
  const standard = modules.map((name) => `import ${name}\n`).join('')
  const lines = `${standard}${standard === '' ? '' : '\n'}import requests`
  return constants === undefined ? lines : `${lines}\n\n${constants}`
}

function writeTokenConstants({ key, secret }: TokenCode): string {
  return `CLIENT_ID = ${key}
CLIENT_SECRET = ${secret}

_access_token = ""
_expires_at = 0.0`
}

function writeTokenFunction({ endpoint, margin }: TokenCode): string {
  return `def get_access_token():
    """Requests an access token, and keeps it until ${margin} seconds before it expires."""
    global _access_token, _expires_at
    if time.time() >= _expires_at:
        response = requests.post(
            ${endpoint},
            auth=(CLIENT_ID, CLIENT_SECRET),
            data={"grant_type": "client_credentials"},
            timeout=30,
        )
        response.raise_for_status()
        answer = response.json()
        _access_token = answer["access_token"]
        _expires_at = time.time() + answer["expires_in"] - ${margin}
    return _access_token`
}

function writeCallFunction({ method, url, body, allHeaders }: CallCode): string {
  const headerLines = allHeaders.map(([name, code]) => `            ${quote(name)}: ${code},\n`)
  return `def call_api():
    return requests.request(
        ${quote(method)},
        ${quote(url)},
${headerLines.length > 0 ? `        headers={\n${headerLines.join('')}        },\n` : ''}${body ? `        ${body.code},\n` : ''}        timeout=30,
    )`
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

const LONG_STRING = { ...C_STRING, escapes: { '\\': '\\\\', '\n': '\n', '\t': '\t' } }

function quoteText(text: string): string {
  if (!isMultiline(text)) return quote(text)
  return `"""${escapeTripleQuotes(escapeText(text, LONG_STRING))}"""`
}
