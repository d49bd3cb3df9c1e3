import { hasFiles } from './prepare.js'
import { C_STRING, escapeText, escapeTripleQuotes, formatHex, isMultiline, type StringSyntax } from './literal.js'
import { createMultipart } from './multipart.js'
import { createSampleWriter, type CallCode, type TokenCode } from './sample-writer.js'

/** A sample for the JDK alone, which has no JSON parser. */
export const java = createSampleWriter({
  language: 'java',
  label: 'Java',
  quote,
  readVariable: (name) => `System.getenv("${name}")`,
  bearer: '"Bearer " + getAccessToken()',
  /** Each is a call of a method of BodyPublishers. */
  bodies: {
    text: ({ text }) => ({ code: `ofString(${quoteText(text)})` }),
    file: ({ file }) => ({ code: readFile(file.name), packages: [PATH] }),
    form({ fields }) {
      const pairs = fields.map(
        ([name, value]) => `                encode(${quote(name)}) + "=" + encode(${quoteText(value)})`,
      )
      return {
        code: `ofString(String.join("&",\n${pairs.join(',\n')}))`,
        contentType: '"application/x-www-form-urlencoded"',
        packages: ENCODE_PACKAGES,
      }
    },
    multipart(body) {
      const { contentType, parts } = createMultipart(body)
      const code = parts.map((part) => (typeof part === 'string' ? `ofString(${quote(part)})` : readFile(part.name)))
      const lines = code.map((part) => `                HttpRequest.BodyPublishers.${part}`)
      const packages = hasFiles(body) ? [PATH] : []
      return { code: `concat(\n${lines.join(',\n')})`, contentType: quote(contentType), packages }
    },
  },
  write(call) {
    const { body: { packages = [] } = {}, token } = call
    return writeProgram(
      ['java.net.URI', 'java.net.http.*', ...(token ? TOKEN_PACKAGES : []), ...packages],
      [
        ...(token ? [writeTokenMethod(token)] : []),
        writeCallMethod(call),
        ...(packages === ENCODE_PACKAGES ? [ENCODE_METHOD] : []),
        MAIN,
      ],
    )
  },
})

const PATH = 'java.nio.file.Path'
const ENCODE_PACKAGES: readonly string[] = ['java.net.URLEncoder', 'java.nio.charset.StandardCharsets']
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

function writeTokenMethod({ endpoint, key, secret, margin }: TokenCode): string {
  return `    static String accessToken;
    static Instant expiresAt = Instant.MIN;

    /** Requests an access token, and keeps it until ${margin} seconds before it expires. */
    static synchronized String getAccessToken() throws IOException, InterruptedException {
        if (Instant.now().isBefore(expiresAt)) return accessToken;
        byte[] credentials = (${key} + ":" + ${secret}).getBytes(StandardCharsets.UTF_8);
        HttpRequest request = HttpRequest.newBuilder(URI.create(${endpoint}))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials"))
            .build();
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IOException("No access token: " + response.body());
        accessToken = readMember(response.body(), "access_token");
        long expiresIn = Long.parseLong(readMember(response.body(), "expires_in"));
        expiresAt = Instant.now().plusSeconds(expiresIn - ${margin});
        return accessToken;
    }

    /** The JDK has no JSON parser. If you use one, use it here too. */
    static String readMember(String json, String name) throws IOException {
        Matcher matcher = Pattern.compile("\\"" + name + "\\"\\\\s*:\\\\s*\\"?([^\\",}]+)").matcher(json);
        if (!matcher.find()) throw new IOException("No " + name + " in the answer");
        return matcher.group(1);
    }`
}

function writeCallMethod({ method, url, body, allHeaders }: CallCode): string {
  const lines = allHeaders.map(([name, code]) => `            .header(${quote(name)}, ${code})\n`)
  return `    static HttpResponse<String> callApi() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(${quote(url)}))
${lines.join('')}            .method(${quote(method)}, HttpRequest.BodyPublishers.${body?.code ?? 'noBody()'})
            .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }`
}

function readFile(name: string): string {
  return `ofFile(Path.of(${quote(name)}))`
}

/** Escapes are octal: Java replaces `\uXXXX` before it reads strings, so that `\u000A` would end the line. */
const formatCode = (code: number): string =>
  code < 0x100 ? `\\${code.toString(8).padStart(3, '0')}` : escapeNonAscii(String.fromCodePoint(code))
const STRING: StringSyntax = { ...C_STRING, formatCode }
const TEXT_BLOCK: StringSyntax = { escapes: { '\\': '\\\\', '\n': '\n', '\t': '\\t' }, formatCode }

function quote(text: string): string {
  return `"${escapeNonAscii(escapeText(text, STRING))}"`
}

/** A text block drops spaces before and white space after lines (JLS 3.10.6). Only spaces and tabs have escapes. */
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
