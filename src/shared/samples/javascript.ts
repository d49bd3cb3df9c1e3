import { hasFiles, type PreparedBody } from './prepare.js'
import { escapeText, formatHex, isMultiline, type StringSyntax } from './literal.js'
import { createMultipart, isSimpleForm } from './multipart.js'
import { createSampleWriter, type CallCode, type TokenCode } from './sample-writer.js'

/** A sample for Node and every other runtime with fetch; Node's `process.env` and `openAsBlob` are its only modules. */
export const javascript = createSampleWriter({
  language: 'javascript',
  label: 'JavaScript',
  quote,
  readVariable: (name) => `process.env.${name}`,
  bearer: '`Bearer ${await getAccessToken()}`',
  keyName: 'apiKey',
  bodies: {
    text: ({ text }) => ({ code: `body: ${quoteText(text)}` }),
    file: ({ file }) => ({ code: `body: ${openFile(file.name)}`, packages: OPEN }),
    form({ fields }) {
      const lines = fields.map(([name, value]) => `      [${quote(name)}, ${quoteText(value)}],\n`)
      // Otherwise fetch() adds a parameter `charset`.
      const contentType = "'application/x-www-form-urlencoded'"
      return { code: `body: new URLSearchParams([\n${lines.join('')}    ])`, contentType }
    },
    multipart: (body) => ({ code: 'body', packages: hasFiles(body) ? OPEN : [], ...writeMultipart(body) }),
  },
  write(call) {
    const { token, key, body } = call
    const refusal = refuse(call)
    if (refusal !== undefined) return `// fetch() ${refusal}. Samples in other languages do.`
    const sections = [
      HEADING,
      ...(body?.packages ?? []),
      ...(token ? [writeTokenFunction(token)] : []),
      ...(key === undefined ? [] : [`const apiKey = ${key}`]),
      writeCallFunction(call),
      'const response = await callApi()\nconsole.log(response.status, await response.text())',
    ]
    return sections.join('\n\n')
  },
})

function refuse({ method, body }: CallCode): string | undefined {
  if (/^(?:CONNECT|TRACE|TRACK)$/.test(method)) return `does not send ${method}`
  return body && /^(?:GET|HEAD)$/.test(method) ? `sends no body with ${method}` : undefined
}

const OPEN: readonly string[] = ["import { openAsBlob } from 'node:fs'"]
const HEADING = '// Node 20 or later. The name of the file ends with .mjs.'

function writeTokenFunction({ endpoint, key, secret, margin }: TokenCode): string {
  return `const clientId = ${key}
const clientSecret = ${secret}

let accessToken
let expiresAt = 0

/** Requests an access token, and keeps it until ${margin} seconds before it expires. */
async function getAccessToken() {
  if (Date.now() < expiresAt) return accessToken
  const response = await fetch(${endpoint}, {
    method: 'POST',
    headers: { Authorization: \`Basic \${btoa(\`\${clientId}:\${clientSecret}\`)}\` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  if (!response.ok) throw new Error(\`No access token: \${response.status} \${await response.text()}\`)
  const answer = await response.json()
  accessToken = answer.access_token
  expiresAt = Date.now() + (answer.expires_in - ${margin}) * 1000
  return accessToken
}`
}

function writeCallFunction({ method, url, body, allHeaders }: CallCode): string {
  const headerLines = allHeaders.map(
    ([name, code]) => `      ${/^[a-z_]\w*$/i.test(name) ? name : quote(name)}: ${code},\n`,
  )
  const options = [
    `    method: ${quote(method)},\n`,
    ...(headerLines.length > 0 ? [`    headers: {\n${headerLines.join('')}    },\n`] : []),
    ...(body ? [`    ${body.code},\n`] : []),
  ]
  return `async function callApi() {
${body?.before ?? ''}  return fetch(${quote(url)}, {
${options.join('')}  })
}`
}

function openFile(name: string): string {
  return `await openAsBlob(${quote(name)})`
}

function writeMultipart(body: PreparedBody & { kind: 'multipart' }): { before: string; contentType?: string } {
  if (!isSimpleForm(body)) {
    // FormData has no other headers of parts than those of files.
    const { contentType, parts } = createMultipart(body)
    const lines = parts.map((part) => `    ${typeof part === 'string' ? quote(part) : openFile(part.name)},\n`)
    return { contentType: quote(contentType), before: `  const body = new Blob([\n${lines.join('')}  ])\n` }
  }
  const lines = body.fields.map((field) => {
    if ('value' in field) return `  body.append(${quote(field.name)}, ${quoteText(field.value)})\n`
    const { file, mediaType } = field
    const type = mediaType === undefined ? '' : `, { type: ${quote(mediaType)} }`
    return `  body.append(${quote(field.name)}, await openAsBlob(${quote(file.name)}${type}), ${quote(file.name)})\n`
  })
  return { before: `  const body = new FormData()\n${lines.join('')}` }
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
