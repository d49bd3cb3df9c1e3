import { hasFiles, type SampleField } from './prepare.js'
import { isMultiline, quoteLikeC as quote } from './literal.js'
import { escapePartName, listPartHeaders } from './multipart.js'
import { createSampleWriter, type CallCode, type TokenCode } from './sample-writer.js'

export const go = createSampleWriter({
  language: 'go',
  label: 'Go',
  quote,
  readVariable: (name) => `os.Getenv("${name}")`,
  bearer: '"Bearer "+token',
  bodies: {
    text: ({ text }) => ({ code: `	body := strings.NewReader(${quoteText(text)})\n`, packages: ['strings'] }),
    file: ({ file }) => ({ code: `	body, err := os.Open(${quote(file.name)})\n${RETURN_ERROR}`, packages: ['os'] }),
    form({ fields }) {
      const lines = fields.map(([name, value]) => `	values.Add(${quote(name)}, ${quoteText(value)})\n`)
      return {
        code: `	values := url.Values{}\n${lines.join('')}	body := strings.NewReader(values.Encode())\n`,
        contentType: '"application/x-www-form-urlencoded"',
        packages: ['net/url', 'strings'],
      }
    },
    multipart(body) {
      const { mediaType, fields } = body
      const isForm = mediaType === 'multipart/form-data'
      const hasCreatedParts = fields.some((field) => 'file' in field || hasPartHeaders(field))
      const packages = [...(hasCreatedParts ? ['net/textproto'] : []), ...(hasFiles(body) ? ['os'] : [])]
      return {
        code: `	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
${fields.map(writeField).join('')}	if err := form.Close(); err != nil {
		return nil, err
	}
`,
        contentType: isForm ? 'form.FormDataContentType()' : `${quote(`${mediaType}; boundary=`)}+form.Boundary()`,
        packages: ['bytes', 'mime/multipart', ...packages],
      }
    },
  },
  write(call) {
    const { token, body, readsEnvironment } = call
    const packages = [...(token ? TOKEN_PACKAGES : []), ...(readsEnvironment ? ['os'] : []), ...(body?.packages ?? [])]
    return writeProgram(
      // Go refuses a program that imports what it does not use.
      ['fmt', 'io', 'log', 'net/http', ...packages],
      [...(token ? [writeTokenFunction(token)] : []), writeCallFunction(call), MAIN],
    )
  },
})

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

function writeProgram(packages: readonly string[], sections: readonly string[]): string {
  const imports = [...new Set(packages)].toSorted().map((name) => `\t"${name}"\n`)
  return ['package main', `import (\n${imports.join('')})`, ...sections].join('\n\n')
}

function writeTokenFunction({ endpoint, key, secret, margin }: TokenCode): string {
  return `var (
	mutex       sync.Mutex
	accessToken string
	expiresAt   time.Time
)

// getAccessToken requests an access token, and keeps it until ${margin} seconds before it expires.
func getAccessToken() (string, error) {
	mutex.Lock()
	defer mutex.Unlock()
	if time.Now().Before(expiresAt) {
		return accessToken, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	request, err := http.NewRequest("POST", ${endpoint}, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(${key}, ${secret})
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
	expiresAt = time.Now().Add(time.Duration(answer.ExpiresIn-${margin}) * time.Second)
	return accessToken, nil
}`
}

function writeCallFunction({ method, url, body, token, allHeaders }: CallCode): string {
  const lines = allHeaders.map(([name, code]) => `	request.Header.Set(${quote(name)}, ${code})\n`)
  return `func callAPI() (*http.Response, error) {
${token ? `	token, err := getAccessToken()\n${RETURN_ERROR}` : ''}${body?.code ?? ''}	request, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${body ? 'body' : 'nil'})
${RETURN_ERROR}${lines.join('')}	return http.DefaultClient.Do(request)
}`
}

const RETURN_ERROR = '	if err != nil {\n		return nil, err\n	}\n'

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

function quoteText(text: string): string {
  return isMultiline(text) && !text.includes('`') ? `\`${text}\`` : quote(text)
}
