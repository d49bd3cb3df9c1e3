import {
  EXPIRY_MARGIN_SECONDS,
  type SampleTokenRequest,
  hasFiles,
  type PreparedBody,
  type PreparedCall,
  type SampleWriter,
  type WrittenBody,
} from './prepare.js'
import { escapeText, formatHex, isMultiline, type StringSyntax } from './literal.js'
import { createMultipart, isSimpleForm } from './multipart.js'

/** A sample for Node and every other runtime with fetch; Node's `process.env` and `openAsBlob` are its only modules. */
export const javascript: SampleWriter = {
  language: 'javascript',
  label: 'JavaScript',
  writeCall(call) {
    const { credential } = call
    const refusal = refuse(call)
    if (refusal !== undefined) return `// fetch() ${refusal}. Samples in other languages do.`
    const sections = [
      HEADING,
      ...(hasFiles(call.body) ? ["import { openAsBlob } from 'node:fs'"] : []),
      ...(credential?.kind === 'accessToken' ? [writeTokenFunction(credential.request)] : []),
      ...(credential?.kind === 'key' ? [`const apiKey = ${readValue(credential.key, 'API_KEY')}`] : []),
      writeCallFunction(call),
      'const response = await callApi()\nconsole.log(response.status, await response.text())',
    ]
    return sections.join('\n\n')
  },
}

/** What fetch() does not do. */
function refuse({ method, body }: PreparedCall): string | undefined {
  if (/^(?:CONNECT|TRACE|TRACK)$/.test(method)) return `does not send ${method}`
  return body && /^(?:GET|HEAD)$/.test(method) ? `sends no body with ${method}` : undefined
}

const HEADING = '// Node 20 or later. The name of the file ends with .mjs.'

function writeTokenFunction({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string {
  return `const clientId = ${readValue(credentials.key, 'CLIENT_ID')}
const clientSecret = ${readValue(credentials.secret, 'CLIENT_SECRET')}

let accessToken
let expiresAt = 0

/** Requests an access token, and keeps it until ${EXPIRY_MARGIN_SECONDS} seconds before it expires. */
async function getAccessToken() {
  if (Date.now() < expiresAt) return accessToken
  const response = await fetch(${quote(tokenEndpoint)}, {
    method: 'POST',
    headers: { Authorization: \`Basic \${btoa(\`\${clientId}:\${clientSecret}\`)}\` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  if (!response.ok) throw new Error(\`No access token: \${response.status} \${await response.text()}\`)
  const answer = await response.json()
  accessToken = answer.access_token
  expiresAt = Date.now() + (answer.expires_in - ${EXPIRY_MARGIN_SECONDS}) * 1000
  return accessToken
}`
}

function writeCallFunction({ method, url, headers, body, credential }: PreparedCall): string {
  const headerLines = headers.map(([name, value]) => `      ${quoteName(name)}: ${quote(value)},\n`)
  if (credential?.kind === 'accessToken')
    headerLines.unshift('      Authorization: `Bearer ${await getAccessToken()}`,\n')
  if (credential?.kind === 'key') headerLines.unshift(`      ${quoteName(credential.header)}: apiKey,\n`)
  const form = body?.kind === 'multipart' ? writeMultipart(body) : undefined
  // Otherwise fetch() adds a parameter `charset`.
  if (body?.kind === 'form') headerLines.push("      'Content-Type': 'application/x-www-form-urlencoded',\n")
  if (form?.contentType !== undefined) headerLines.push(`      'Content-Type': ${quote(form.contentType)},\n`)
  const options = [
    `    method: ${quote(method)},\n`,
    ...(headerLines.length > 0 ? [`    headers: {\n${headerLines.join('')}    },\n`] : []),
    ...(body ? [`    body${body.kind === 'multipart' ? '' : `: ${writeBody(body)}`},\n`] : []),
  ]
  return `async function callApi() {
${form?.code ?? ''}  return fetch(${quote(url)}, {
${options.join('')}  })
}`
}

function writeBody(body: Exclude<PreparedBody, { kind: 'multipart' }>): string {
  switch (body.kind) {
    case 'text':
      return quoteText(body.text)
    case 'file':
      return `await openAsBlob(${quote(body.file.name)})`
    case 'form':
    default:
      return `new URLSearchParams([\n${body.fields.map(([name, value]) => `      [${quote(name)}, ${quoteText(value)}],\n`).join('')}    ])`
  }
}

function writeMultipart(body: PreparedBody & { kind: 'multipart' }): WrittenBody {
  if (!isSimpleForm(body)) {
    // FormData has no other headers of parts than those of files.
    const { contentType, parts } = createMultipart(body)
    const lines = parts.map(
      (part) => `    ${typeof part === 'string' ? quote(part) : writeBody({ kind: 'file', file: part })},\n`,
    )
    return { contentType, code: `  const body = new Blob([\n${lines.join('')}  ])\n` }
  }
  const lines = body.fields.map((field) => {
    if ('value' in field) return `  body.append(${quote(field.name)}, ${quoteText(field.value)})\n`
    const { file, mediaType } = field
    const type = mediaType === undefined ? '' : `, { type: ${quote(mediaType)} }`
    return `  body.append(${quote(field.name)}, await openAsBlob(${quote(file.name)}${type}), ${quote(file.name)})\n`
  })
  return { code: `  const body = new FormData()\n${lines.join('')}` }
}

function readValue(value: string | undefined, variable: string): string {
  return value === undefined ? `process.env.${variable}` : quote(value)
}

const formatCode = (code: number): string => (code > 0xffff ? `\\u{${formatHex(code, 1)}}` : `\\u${formatHex(code)}`)
const STRING: StringSyntax = {
  escapes: { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' },
  formatCode,
}
const TEMPLATE: StringSyntax = { escapes: { '\\': '\\\\', '`': '\\`', $: '\\$', '\n': '\n', '\t': '\t' }, formatCode }

function quote(text: string): string {
  return `'${protectScript(escapeText(text, STRING))}'`
}

function quoteText(text: string): string {
  return isMultiline(text) ? `\`${protectScript(escapeText(text, TEMPLATE))}\`` : quote(text)
}

/** Character sequences that would end a script of an HTML page, or hide its end. */
function protectScript(code: string): string {
  return code.replaceAll(/<(?=\/script|script|!--)/gi, '\\x3C')
}

function quoteName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : quote(name)
}
