import {
  EXPIRY_MARGIN_SECONDS,
  type SampleField,
  type SampleTokenRequest,
  type PreparedBody,
  type PreparedCall,
  type SampleWriter,
} from './prepare.js'
import { isMultiline, quoteLikeC as quote } from './literal.js'
import { escapePartName, listPartHeaders } from './multipart.js'

/** A sample for .NET Core 3 and later, which have System.Text.Json. */
export const csharp: SampleWriter = {
  language: 'csharp',
  label: 'C#',
  writeCall(call) {
    const { credential } = call
    return writeProgram([
      ...(credential?.kind === 'accessToken' ? [writeTokenMethod(credential.request)] : []),
      writeCallMethod(call),
      MAIN,
    ])
  },
}

/** The types that a program uses of each namespace. */
const NAMESPACES: readonly (readonly [name: string, use: RegExp])[] = [
  ['System', /./],
  ['System.Collections.Generic', /\b(?:Dictionary|KeyValuePair)</],
  ['System.IO', /\bFile\./],
  ['System.Net.Http', /./],
  ['System.Net.Http.Headers', /HeaderValue\b/],
  ['System.Text', /\bEncoding\./],
  ['System.Text.Json', /\bJsonDocument\./],
  ['System.Threading.Tasks', /./],
]

function writeProgram(members: readonly string[]): string {
  const code = members.join('\n\n')
  const lines = NAMESPACES.filter(([, use]) => use.test(code)).map(([name]) => `using ${name};\n`)
  return `${lines.join('')}
public static class Program
{
    static readonly HttpClient Client = new HttpClient();

${code}
}`
}

const MAIN = `    public static async Task Main()
    {
        var response = await CallApi();
        Console.WriteLine((int)response.StatusCode + " " + await response.Content.ReadAsStringAsync());
    }`

function writeTokenMethod({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string {
  const key = readValue(credentials.key, 'CLIENT_ID')
  const secret = readValue(credentials.secret, 'CLIENT_SECRET')
  return `    static string accessToken;
    static DateTimeOffset expiresAt;

    /// <summary>Requests an access token, and keeps it until ${EXPIRY_MARGIN_SECONDS} seconds before it expires.</summary>
    static async Task<string> GetAccessToken()
    {
        if (DateTimeOffset.UtcNow < expiresAt) return accessToken;
        var credentials = Encoding.UTF8.GetBytes(${key} + ":" + ${secret});
        var request = new HttpRequestMessage(HttpMethod.Post, ${quote(tokenEndpoint)});
        request.Headers.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(credentials));
        request.Content = new FormUrlEncodedContent(new Dictionary<string, string>
        {
            ["grant_type"] = "client_credentials",
        });
        var response = await Client.SendAsync(request);
        var content = await response.Content.ReadAsStringAsync();
        if (!response.IsSuccessStatusCode) throw new HttpRequestException("No access token: " + content);
        using (var answer = JsonDocument.Parse(content))
        {
            accessToken = answer.RootElement.GetProperty("access_token").GetString();
            var expiresIn = answer.RootElement.GetProperty("expires_in").GetInt32();
            expiresAt = DateTimeOffset.UtcNow.AddSeconds(expiresIn - ${EXPIRY_MARGIN_SECONDS});
        }
        return accessToken;
    }`
}

function writeCallMethod({ method, url, headers, body, credential }: PreparedCall): string {
  const lines = [`        var request = new HttpRequestMessage(new HttpMethod(${quote(method)}), ${quote(url)});\n`]
  if (credential?.kind === 'accessToken')
    lines.push(
      '        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", await GetAccessToken());\n',
    )
  if (credential?.kind === 'key')
    lines.push(
      `        request.Headers.TryAddWithoutValidation(${quote(credential.header)}, ${readValue(credential.key, 'API_KEY')});\n`,
    )
  if (body) lines.push(writeBody(body))
  for (const [name, value] of headers) {
    // .NET keeps headers that describe the body apart.
    const target = body && /^content-/i.test(name) ? 'request.Content.Headers' : 'request.Headers'
    lines.push(`        ${target}.TryAddWithoutValidation(${quote(name)}, ${quote(value)});\n`)
  }
  const isAsync = credential?.kind === 'accessToken'
  return `    static ${isAsync ? 'async ' : ''}Task<HttpResponseMessage> CallApi()
    {
${lines.join('')}        return ${isAsync ? 'await ' : ''}Client.SendAsync(request);
    }`
}

function writeBody(body: PreparedBody): string {
  switch (body.kind) {
    case 'text':
      return `        request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(${quoteText(body.text)}));\n`
    case 'file':
      return `        request.Content = new StreamContent(File.OpenRead(${quote(body.file.name)}));\n`
    case 'form': {
      const pairs = body.fields.map(
        ([name, value]) => `            new KeyValuePair<string, string>(${quote(name)}, ${quoteText(value)}),\n`,
      )
      return `        request.Content = new FormUrlEncodedContent(new[]\n        {\n${pairs.join('')}        });\n`
    }
    case 'multipart':
    default:
      return writeMultipart(body)
  }
}

function writeMultipart({ mediaType, fields }: PreparedBody & { kind: 'multipart' }): string {
  const type =
    mediaType === 'multipart/form-data' ? '' : `        form.Headers.ContentType.MediaType = ${quote(mediaType)};\n`
  return `        var form = new MultipartFormDataContent();\n${type}${fields.map(writePart).join('')}        request.Content = form;\n`
}

function writePart(field: SampleField, index: number): string {
  const isFile = 'file' in field
  // StringContent would have a media type that nobody gave it.
  const content = isFile
    ? `StreamContent(File.OpenRead(${quote(field.file.name)}))`
    : `ByteArrayContent(Encoding.UTF8.GetBytes(${quoteText(field.value)}))`
  const headers = listPartHeaders(field)
  if (!isFile && headers.length === 0) return `        form.Add(new ${content}, ${quotePartName(field.name)});\n`
  const part = `part${index + 1}`
  const lines = headers.map(
    ([header, value]) => `        ${part}.Headers.TryAddWithoutValidation(${quote(header)}, ${quote(value)});\n`,
  )
  // Add(content, name, fileName) would also write `filename*`, which RFC 7578 forbids and some servers refuse.
  const fileName = isFile ? `            FileName = ${quotePartName(field.file.name)},\n` : ''
  return `        var ${part} = new ${content};
${lines.join('')}        ${part}.Headers.ContentDisposition = new ContentDispositionHeaderValue("form-data")
        {
            Name = ${quotePartName(field.name)},
${fileName}        };
        form.Add(${part});
`
}

/** The quotation marks are part of the header: .NET writes none around a simple name, which some servers require. */
function quotePartName(name: string): string {
  return quote(`"${escapePartName(name)}"`)
}

function readValue(value: string | undefined, variable: string): string {
  return value === undefined ? `Environment.GetEnvironmentVariable("${variable}")` : quote(value)
}

function quoteText(text: string): string {
  return isMultiline(text) ? `@"${text.replaceAll('"', '""')}"` : quote(text)
}
