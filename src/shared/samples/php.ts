import {
  EXPIRY_MARGIN_SECONDS,
  type SampleTokenRequest,
  type PreparedBody,
  type PreparedCall,
  type SampleWriter,
  type WrittenBody,
} from './prepare.js'
import { C_STRING, escapeText, formatHex, isMultiline, type StringSyntax } from './literal.js'
import { createMultipart, isSimpleForm } from './multipart.js'

/** A sample for PHP's extension curl. */
export const php: SampleWriter = {
  language: 'php',
  label: 'PHP',
  writeCall(call) {
    const { body, credential, method } = call
    if (body && method === 'HEAD') return '<?php\n\n// curl sends no body with HEAD. Samples in other languages do.'
    return [
      '<?php',
      ...(credential?.kind === 'accessToken' ? [writeTokenFunction(credential.request)] : []),
      writeCallFunction(call),
      "[$status, $content] = callApi();\necho $status, ' ', $content, PHP_EOL;",
    ].join('\n\n')
  },
}

function writeTokenFunction({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string {
  const key = readValue(credentials.key, 'CLIENT_ID')
  const secret = readValue(credentials.secret, 'CLIENT_SECRET')
  return `/**
 * Requests an access token, and keeps it until ${EXPIRY_MARGIN_SECONDS} seconds before it expires.
 * Where each request has a process of its own, keep it in APCu or another cache instead.
 */
function getAccessToken(): string
{
    static $accessToken = '', $expiresAt = 0;
    if (time() < $expiresAt) {
        return $accessToken;
    }
    $curl = curl_init(${quote(tokenEndpoint)});
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
    $expiresAt = time() + $answer['expires_in'] - ${EXPIRY_MARGIN_SECONDS};
    return $accessToken;
}`
}

function writeCallFunction({ method, url, headers, body, credential }: PreparedCall): string {
  // curl leaves out a header that has no value, unless the name ends with a semicolon.
  const lines = headers.map(([name, value]) => quote(value === '' ? `${name};` : `${name}: ${value}`))
  if (credential?.kind === 'accessToken') lines.unshift("'Authorization: Bearer ' . getAccessToken()")
  if (credential?.kind === 'key')
    lines.unshift(`${quote(`${credential.header}: `)} . ${readValue(credential.key, 'API_KEY')}`)
  const written = body && writeBody(body)
  if (written?.contentType !== undefined) lines.push(quote(`Content-Type: ${written.contentType}`))
  const options = [
    method === 'HEAD' ? 'CURLOPT_NOBODY => true' : `CURLOPT_CUSTOMREQUEST => ${quote(method)}`,
    'CURLOPT_RETURNTRANSFER => true',
    ...(lines.length > 0
      ? [`CURLOPT_HTTPHEADER => [\n${lines.map((line) => `            ${line},\n`).join('')}        ]`]
      : []),
    ...(written ? [`CURLOPT_POSTFIELDS => ${written.code}`] : []),
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

function writeBody(body: PreparedBody): WrittenBody {
  switch (body.kind) {
    case 'text':
      return { code: quote(body.text) }
    case 'file':
      return { code: readFile(body.file.name) }
    case 'form':
      return { code: writeForm(body.fields) }
    case 'multipart':
    default:
      return writeMultipart(body)
  }
}

/** An array has each name once. */
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
function writeMultipart(body: PreparedBody & { kind: 'multipart' }): WrittenBody {
  const { fields } = body
  const isNameRepeated = new Set(fields.map(({ name }) => name)).size < fields.length
  if (isNameRepeated || !isSimpleForm(body)) {
    const { contentType, parts } = createMultipart(body)
    const code = parts.map((part) => (typeof part === 'string' ? quote(part) : readFile(part.name)))
    return { code: code.join('\n            . '), contentType }
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

function readValue(value: string | undefined, variable: string): string {
  return value === undefined ? `getenv('${variable}')` : quote(value)
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
