import {
  EXPIRY_MARGIN_SECONDS,
  type SampleTokenRequest,
  hasFiles,
  type PreparedBody,
  type PreparedCall,
  type SampleWriter,
  type WrittenBody,
} from './prepare.js'
import { C_STRING, escapeText, escapeTripleQuotes, formatHex, isMultiline, type StringSyntax } from './literal.js'
import { createMultipart } from './multipart.js'

/** A sample for the JDK alone, which has no JSON parser. */
export const java: SampleWriter = {
  language: 'java',
  label: 'Java',
  writeCall(call) {
    const { body, credential } = call
    const packages = ['java.net.URI', 'java.net.http.*']
    if (credential?.kind === 'accessToken') packages.push(...TOKEN_PACKAGES)
    if (hasFiles(body)) packages.push('java.nio.file.Path')
    if (body?.kind === 'form') packages.push('java.net.URLEncoder', 'java.nio.charset.StandardCharsets')
    return writeProgram(packages, [
      ...(credential?.kind === 'accessToken' ? [writeTokenMethod(credential.request)] : []),
      writeCallMethod(call),
      ...(body?.kind === 'form' ? [ENCODE_METHOD] : []),
      MAIN,
    ])
  },
}

const TOKEN_PACKAGES = [
  'java.io.IOException',
  'java.nio.charset.StandardCharsets',
  'java.time.Instant',
  'java.util.Base64',
  'java.util.regex.*',
]

const ENCODE_METHOD = `    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }`

const MAIN = `    public static void main(String[] args) throws Exception {
        HttpResponse<String> response = callApi();
        System.out.println(response.statusCode() + " " + response.body());
    }`

function writeProgram(packages: readonly string[], members: readonly string[]): string {
  const imports = [...new Set(packages)].toSorted().map((name) => `import ${name};\n`)
  return `// Java 17 or later. The file is Call.java.
${imports.join('')}
public class Call {
    static final HttpClient CLIENT = HttpClient.newHttpClient();

${members.join('\n\n')}
}`
}

function writeTokenMethod({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string {
  const key = readValue(credentials.key, 'CLIENT_ID')
  const secret = readValue(credentials.secret, 'CLIENT_SECRET')
  return `    static String accessToken;
    static Instant expiresAt = Instant.MIN;

    /** Requests an access token, and keeps it until ${EXPIRY_MARGIN_SECONDS} seconds before it expires. */
    static synchronized String getAccessToken() throws IOException, InterruptedException {
        if (Instant.now().isBefore(expiresAt)) return accessToken;
        byte[] credentials = (${key} + ":" + ${secret}).getBytes(StandardCharsets.UTF_8);
        HttpRequest request = HttpRequest.newBuilder(URI.create(${quote(tokenEndpoint)}))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials"))
            .build();
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IOException("No access token: " + response.body());
        accessToken = readMember(response.body(), "access_token");
        long expiresIn = Long.parseLong(readMember(response.body(), "expires_in"));
        expiresAt = Instant.now().plusSeconds(expiresIn - ${EXPIRY_MARGIN_SECONDS});
        return accessToken;
    }

    /** The JDK has no JSON parser. If you use one, use it here too. */
    static String readMember(String json, String name) throws IOException {
        Matcher matcher = Pattern.compile("\\"" + name + "\\"\\\\s*:\\\\s*\\"?([^\\",}]+)").matcher(json);
        if (!matcher.find()) throw new IOException("No " + name + " in the answer");
        return matcher.group(1);
    }`
}

function writeCallMethod({ method, url, headers, body, credential }: PreparedCall): string {
  const written = body && writeBody(body)
  const lines = headers.map(([name, value]) => `            .header(${quote(name)}, ${quote(value)})\n`)
  if (credential?.kind === 'accessToken')
    lines.unshift('            .header("Authorization", "Bearer " + getAccessToken())\n')
  if (credential?.kind === 'key')
    lines.unshift(`            .header(${quote(credential.header)}, ${readValue(credential.key, 'API_KEY')})\n`)
  if (written?.contentType !== undefined)
    lines.push(`            .header("Content-Type", ${quote(written.contentType)})\n`)
  return `    static HttpResponse<String> callApi() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(${quote(url)}))
${lines.join('')}            .method(${quote(method)}, HttpRequest.BodyPublishers.${written?.code ?? 'noBody()'})
            .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }`
}

/** The body as a call of a method of BodyPublishers. */
function writeBody(body: PreparedBody): WrittenBody {
  switch (body.kind) {
    case 'text':
      return { code: `ofString(${quoteText(body.text)})` }
    case 'file':
      return { code: readFile(body.file.name) }
    case 'form': {
      const pairs = body.fields.map(
        ([name, value]) => `                encode(${quote(name)}) + "=" + encode(${quoteText(value)})`,
      )
      return {
        code: `ofString(String.join("&",\n${pairs.join(',\n')}))`,
        contentType: 'application/x-www-form-urlencoded',
      }
    }
    case 'multipart':
    default: {
      const { contentType, parts } = createMultipart(body)
      const code = parts.map((part) => (typeof part === 'string' ? `ofString(${quote(part)})` : readFile(part.name)))
      const lines = code.map((part) => `                HttpRequest.BodyPublishers.${part}`)
      return { code: `concat(\n${lines.join(',\n')})`, contentType }
    }
  }
}

function readFile(name: string): string {
  return `ofFile(Path.of(${quote(name)}))`
}

function readValue(value: string | undefined, variable: string): string {
  return value === undefined ? `System.getenv("${variable}")` : quote(value)
}

/** Escapes are octal: Java replaces `\uXXXX` before it reads strings, so that `\u000A` would end the line. */
const formatCode = (code: number): string =>
  code < 0x100 ? `\\${code.toString(8).padStart(3, '0')}` : escapeNonAscii(String.fromCodePoint(code))
const STRING: StringSyntax = { ...C_STRING, formatCode }
const TEXT_BLOCK: StringSyntax = { escapes: { '\\': '\\\\', '\n': '\n', '\t': '\\t' }, formatCode }

function quote(text: string): string {
  return `"${escapeNonAscii(escapeText(text, STRING))}"`
}

/**
 * A text block drops spaces that all its lines begin with, the line of the closing delimiter included (JLS 3.10.6), and white
 * space at the ends of lines. Spaces and tabs have escapes there; other white space of Unicode has none.
 */
function quoteText(text: string): string {
  const isFlush = text.split('\n').some((line) => /^\S/.test(line))
  if (!isMultiline(text) || !isFlush || /[^\S \n\t]/.test(text)) return quote(text)
  const lines = escapeTripleQuotes(escapeText(text, TEXT_BLOCK)).replaceAll(/ $/gm, '\\s')
  return `"""\n${' '.repeat(16)}${escapeNonAscii(lines).replaceAll(/\n(?!\n)/g, `\n${' '.repeat(16)}`)}"""`
}

/** Java 17 reads files in the encoding of the system. */
function escapeNonAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${formatHex(unit.charCodeAt(0))}`)
}
