import type { PreparedBody } from './prepare.js'
import { C_STRING, escapeText, formatHex, isMultiline, type StringSyntax } from './literal.js'
import { createMultipart, isSimpleForm } from './multipart.js'
import { createSampleWriter, type CallCode, type TokenCode } from './sample-writer.js'

export const php = createSampleWriter({
  language: 'php',
  label: 'PHP',
  quote,
  readVariable: (name) => `getenv('${name}')`,
  bearer: 'getAccessToken()',
  bodies: {
    text: ({ text }) => ({ code: quote(text) }),
    file: ({ file }) => ({ code: readFile(file.name) }),
    form: ({ fields }) => ({ code: writeForm(fields) }),
    multipart: writeMultipart,
  },
  write(call) {
    const { body, token, method } = call
    if (body && method === 'HEAD') return '<?php\n\n// curl sends no body with HEAD. Samples in other languages do.'
    return [
      '<?php',
      ...(token ? [writeTokenFunction(token)] : []),
      writeCallFunction(call),
      "[$status, $content] = callApi();\necho $status, ' ', $content, PHP_EOL;",
    ].join('\n\n')
  },
})

function writeTokenFunction({ endpoint, key, secret, margin }: TokenCode): string {
  return `/**
 * Requests an access token, and keeps it until ${margin} seconds before it expires.
 * Where each request has a process of its own, keep it in APCu or another cache instead.
 */
function getAccessToken(): string
{
    static $accessToken = '', $expiresAt = 0;
    if (time() < $expiresAt) {
        return $accessToken;
    }
    $curl = curl_init(${endpoint});
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_USERPWD => ${key} . ':' . ${secret},
        CURLOPT_POSTFIELDS => http_build_query(['grant_type' => 'client_credentials']),
    ]);
    $content = curl_exec($curl);
    if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {
        throw new RuntimeException('No access token: ' . ($content === false ? curl_error($curl) : $content));
    }
    $answer = json_decode($content, true);
    $accessToken = $answer['access_token'];
    $expiresAt = time() + $answer['expires_in'] - ${margin};
    return $accessToken;
}`
}

function writeCallFunction({ method, url, headers, body, credential, token }: CallCode): string {
  // curl leaves out a header that has no value, unless the name ends with a semicolon.
  const lines = headers.map(([name, value]) => quote(value === '' ? `${name};` : `${name}: ${value}`))
  if (credential) lines.unshift(`${quote(`${credential[0]}: ${token ? 'Bearer ' : ''}`)} . ${credential[1]}`)
  if (body?.contentType !== undefined) lines.push(body.contentType)
  const options = [
    method === 'HEAD' ? 'CURLOPT_NOBODY => true' : `CURLOPT_CUSTOMREQUEST => ${quote(method)}`,
    'CURLOPT_RETURNTRANSFER => true',
    ...(lines.length > 0
      ? [`CURLOPT_HTTPHEADER => [\n${lines.map((line) => `            ${line},\n`).join('')}        ]`]
      : []),
    ...(body ? [`CURLOPT_POSTFIELDS => ${body.code}`] : []),
  ]
  return `function callApi(): array
{
    $curl = curl_init(${quote(url)});
    curl_setopt_array($curl, [
${options.map((option) => `        ${option},\n`).join('')}    ]);
    $content = curl_exec($curl);
    if ($content === false) {
        throw new RuntimeException(curl_error($curl));
    }
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $content];
}`
}

function writeForm(fields: readonly (readonly [name: string, value: string])[]): string {
  const hasRepeatedName = new Set(fields.map(([name]) => name)).size < fields.length
  if (!hasRepeatedName) {
    const lines = fields.map(([name, value]) => `            ${quote(name)} => ${quote(value)},\n`)
    return `http_build_query([\n${lines.join('')}        ])`
  }
  const pairs = fields.map(([name, value]) => `urlencode(${quote(name)}) . '=' . urlencode(${quote(value)})`)
  return `implode('&', [\n${pairs.map((pair) => `            ${pair},\n`).join('')}        ])`
}

/** An array has each name once, and no headers of parts. */
function writeMultipart(body: PreparedBody & { kind: 'multipart' }) {
  const { fields } = body
  const isNameRepeated = new Set(fields.map(({ name }) => name)).size < fields.length
  if (isNameRepeated || !isSimpleForm(body)) {
    const { contentType, parts } = createMultipart(body)
    const code = parts.map((part) => (typeof part === 'string' ? quote(part) : readFile(part.name)))
    return { code: code.join('\n            . '), contentType: quote(`Content-Type: ${contentType}`) }
  }
  const lines = fields.map((field) => {
    if ('value' in field) return `            ${quote(field.name)} => ${quote(field.value)},\n`
    const type = field.mediaType === undefined ? '' : `, ${quote(field.mediaType)}`
    return `            ${quote(field.name)} => new CURLFile(${quote(field.file.name)}${type}),\n`
  })
  return { code: `[\n${lines.join('')}        ]` }
}

function readFile(name: string): string {
  return `file_get_contents(${quote(name)})`
}

const formatCode = (code: number): string => `\\u{${formatHex(code, 1)}}`
const DOUBLE: StringSyntax = { escapes: { ...C_STRING.escapes, $: '\\$' }, formatCode }
const SINGLE: StringSyntax = { escapes: { '\\': '\\\\', "'": "\\'", '\n': '\n', '\t': '\t' }, formatCode }

/** A string in single quotes, unless a character must be escaped for which single quotes have no escape. */
function quote(text: string): string {
  const escaped = escapeText(text, DOUBLE)
  if (isMultiline(text) || !/\\[nrtu]/.test(escaped.replaceAll('\\\\', ''))) return `'${escapeText(text, SINGLE)}'`
  return `"${escaped}"`
}
