import {
  EXPIRY_MARGIN_SECONDS,
  type SampleField,
  type SampleTokenRequest,
  hasFiles,
  type PreparedBody,
  type PreparedCall,
  type SampleWriter,
} from './prepare.js'
import { isMultiline, quoteLikeC as quote } from './literal.js'
import { escapePartName, listPartHeaders } from './multipart.js'

export const go: SampleWriter = {
  language: 'go',
  label: 'Go',
  writeCall(call) {
    const { credential } = call
    return writeProgram(
      [...(credential?.kind === 'accessToken' ? TOKEN_PACKAGES : []), ...listCallPackages(call)],
      [
        ...(credential?.kind === 'accessToken' ? [writeTokenFunction(credential.request)] : []),
        writeCallFunction(call),
        MAIN,
      ],
    )
  },
}

const TOKEN_PACKAGES = ['encoding/json', 'fmt', 'net/http', 'net/url', 'strings', 'sync', 'time']

const MAIN = `func main() {
	response, err := callAPI()
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, string(content))
}`

/** Go refuses a program that imports what it does not use. */
function listCallPackages({ body, credential }: PreparedCall): string[] {
  const packages = ['fmt', 'io', 'log', 'net/http']
  if (credential?.kind === 'key' && credential.key === undefined) packages.push('os')
  if (credential?.kind === 'accessToken') {
    const { key, secret } = credential.request.credentials ?? {}
    if (key === undefined || secret === undefined) packages.push('os')
  }
  if (body?.kind === 'text') packages.push('strings')
  if (hasFiles(body)) packages.push('os')
  if (body?.kind === 'form') packages.push('net/url', 'strings')
  if (body?.kind === 'multipart') {
    packages.push('bytes', 'mime/multipart')
    if (body.fields.some((field) => 'file' in field || hasPartHeaders(field))) packages.push('net/textproto')
  }
  return packages
}

function writeProgram(packages: readonly string[], sections: readonly string[]): string {
  const imports = [...new Set(packages)].toSorted().map((name) => `\t"${name}"\n`)
  return ['package main', `import (\n${imports.join('')})`, ...sections].join('\n\n')
}

function writeTokenFunction({ tokenEndpoint, credentials = {} }: SampleTokenRequest): string {
  return `var (
	mutex       sync.Mutex
	accessToken string
	expiresAt   time.Time
)

// getAccessToken requests an access token, and keeps it until ${EXPIRY_MARGIN_SECONDS} seconds before it expires.
func getAccessToken() (string, error) {
	mutex.Lock()
	defer mutex.Unlock()
	if time.Now().Before(expiresAt) {
		return accessToken, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	request, err := http.NewRequest("POST", ${quote(tokenEndpoint)}, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(${readValue(credentials.key, 'CLIENT_ID')}, ${readValue(credentials.secret, 'CLIENT_SECRET')})
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("no access token: %s", response.Status)
	}
	var answer struct {
		AccessToken string \`json:"access_token"\`
		ExpiresIn   int    \`json:"expires_in"\`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	accessToken = answer.AccessToken
	expiresAt = time.Now().Add(time.Duration(answer.ExpiresIn-${EXPIRY_MARGIN_SECONDS}) * time.Second)
	return accessToken, nil
}`
}

function writeCallFunction({ method, url, headers, body, credential }: PreparedCall): string {
  const lines = headers.map(([name, value]) => `	request.Header.Set(${quote(name)}, ${quote(value)})\n`)
  if (body?.kind === 'form') lines.push('	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")\n')
  if (body?.kind === 'multipart') lines.push(`	request.Header.Set("Content-Type", ${writeFormType(body.mediaType)})\n`)
  if (credential?.kind === 'accessToken') lines.unshift('	request.Header.Set("Authorization", "Bearer "+token)\n')
  if (credential?.kind === 'key')
    lines.unshift(`	request.Header.Set(${quote(credential.header)}, ${readValue(credential.key, 'API_KEY')})\n`)
  const token = credential?.kind === 'accessToken' ? `	token, err := getAccessToken()\n${RETURN_ERROR}` : ''
  return `func callAPI() (*http.Response, error) {
${token}${body ? writeBody(body) : ''}	request, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${body ? 'body' : 'nil'})
${RETURN_ERROR}${lines.join('')}	return http.DefaultClient.Do(request)
}`
}

function writeFormType(mediaType: string): string {
  return mediaType === 'multipart/form-data'
    ? 'form.FormDataContentType()'
    : `${quote(`${mediaType}; boundary=`)}+form.Boundary()`
}

const RETURN_ERROR = '	if err != nil {\n		return nil, err\n	}\n'

function writeBody(body: PreparedBody): string {
  switch (body.kind) {
    case 'text':
      return `	body := strings.NewReader(${quoteText(body.text)})\n`
    case 'file':
      return `	body, err := os.Open(${quote(body.file.name)})\n${RETURN_ERROR}`
    case 'form': {
      const lines = body.fields.map(([name, value]) => `	values.Add(${quote(name)}, ${quoteText(value)})\n`)
      return `	values := url.Values{}\n${lines.join('')}	body := strings.NewReader(values.Encode())\n`
    }
    case 'multipart':
    default:
      return `	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
${body.fields.map(writeField).join('')}	if err := form.Close(); err != nil {
		return nil, err
	}
`
  }
}

function hasPartHeaders(field: SampleField): boolean {
  return listPartHeaders(field).length > 0
}

function writeField(field: SampleField): string {
  if ('value' in field && !hasPartHeaders(field))
    return `	if err := form.WriteField(${quote(field.name)}, ${quoteText(field.value)}); err != nil {\n		return nil, err\n	}\n`
  const isFile = 'file' in field
  const read = isFile
    ? `		content, err := os.ReadFile(${quote(field.file.name)})
		if err != nil {
			return nil, err
		}
`
    : ''
  // The braces let each part have variables of the same names.
  return `	{
${read}		part, err := ${writePart(field)}
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(${isFile ? 'content' : `[]byte(${quoteText(field.value)})`}); err != nil {
			return nil, err
		}
	}
`
}

function writePart(field: SampleField): string {
  const name = 'file' in field ? field.file.name : undefined
  const fileName = name === undefined ? '' : `; filename="${escapePartName(name)}"`
  const disposition = `form-data; name="${escapePartName(field.name)}"${fileName}`
  const headers = [['Content-Disposition', disposition] as const, ...listPartHeaders(field)]
  const width = Math.max(...headers.map(([header]) => quote(header).length)) + 2
  const lines = headers.map(([header, value]) => `			${`${quote(header)}:`.padEnd(width)}{${quote(value)}},\n`)
  return `form.CreatePart(textproto.MIMEHeader{\n${lines.join('')}		})`
}

function readValue(value: string | undefined, variable: string): string {
  return value === undefined ? `os.Getenv("${variable}")` : quote(value)
}

function quoteText(text: string): string {
  return isMultiline(text) && !text.includes('`') ? `\`${text}\`` : quote(text)
}
