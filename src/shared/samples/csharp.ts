import type { SampleField } from './prepare.js'
import { isMultiline, quoteLikeC as quote } from './literal.js'
import { escapePartName, listPartHeaders } from './multipart.js'
import { createSampleWriter, type CallCode, type TokenCode } from './sample-writer.js'

/** A sample for .NET Core 3 and later, which have System.Text.Json. */
export const csharp = createSampleWriter({
  language: 'csharp',
  label: 'C#',
  quote,
  readVariable: (name) => `Environment.GetEnvironmentVariable("${name}")`,
  bearer: 'new AuthenticationHeaderValue("Bearer", await GetAccessToken())',
  bodies: {
    text: ({ text }) => ({
      code: `        request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(${quoteText(text)}));\n`,
    }),
    file: ({ file }) => ({
      code: `        request.Content = new StreamContent(File.OpenRead(${quote(file.name)}));\n`,
    }),
    form({ fields }) {
      const pairs = fields.map(
        ([name, value]) => `            new KeyValuePair<string, string>(${quote(name)}, ${quoteText(value)}),\n`,
      )
      return {
        code: `        request.Content = new FormUrlEncodedContent(new[]\n        {\n${pairs.join('')}        });\n`,
      }
    },
    multipart({ mediaType, fields }) {
      const isForm = mediaType === 'multipart/form-data'
      const type = isForm ? '' : `        form.Headers.ContentType.MediaType = ${quote(mediaType)};\n`
      return {
        code: `        var form = new MultipartFormDataContent();\n${type}${fields.map(writePart).join('')}        request.Content = form;\n`,
      }
    },
  },
  write: (call) => writeProgram([...(call.token ? [writeTokenMethod(call.token)] : []), writeCallMethod(call), MAIN]),
})

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

function writeTokenMethod({ endpoint, key, secret, margin }: TokenCode): string {
  return `    static string accessToken;
    static DateTimeOffset expiresAt;

    /// <summary>Requests an access token, and keeps it until ${margin} seconds before it expires.</summary>
    static async Task<string> GetAccessToken()
    {
        if (DateTimeOffset.UtcNow < expiresAt) return accessToken;
        var credentials = Encoding.UTF8.GetBytes(${key} + ":" + ${secret});
        var request = new HttpRequestMessage(HttpMethod.Post, ${endpoint});
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
            expiresAt = DateTimeOffset.UtcNow.AddSeconds(expiresIn - ${margin});
        }
        return accessToken;
    }`
}

function writeCallMethod({ method, url, headers, body, credential, token }: CallCode): string {
  const lines = [`        var request = new HttpRequestMessage(new HttpMethod(${quote(method)}), ${quote(url)});\n`]
  if (credential) {
    const [name, code] = credential
    const set = token ? `Authorization = ${code}` : `TryAddWithoutValidation(${quote(name)}, ${code})`
    lines.push(`        request.Headers.${set};\n`)
  }
  if (body) lines.push(body.code)
  for (const [name, value] of headers) {
    // .NET keeps headers that describe the body apart.
    const target = body && /^content-/i.test(name) ? 'request.Content.Headers' : 'request.Headers'
    lines.push(`        ${target}.TryAddWithoutValidation(${quote(name)}, ${quote(value)});\n`)
  }
  return `    static ${token ? 'async ' : ''}Task<HttpResponseMessage> CallApi()
    {
${lines.join('')}        return ${token ? 'await ' : ''}Client.SendAsync(request);
    }`
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

function quoteText(text: string): string {
  return isMultiline(text) ? `@"${text.replaceAll('"', '""')}"` : quote(text)
}
