// @ts-nocheck This runs in browsers; the package's own types are those of Node.

// Swagger UI with our own layout and Authorize dialog. Key, secret and access token are kept in the memory of this
// script and of Swagger UI only, and end with the page.
;(() => {
  const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const container = document.getElementById('reference')
  const { api, scheme, tokenEndpoint, keyHeader, document: documentUrl, credentialSource, register } = container.dataset
  const CARRIED = `Calls carry the ${tokenEndpoint ? 'access token' : 'key'} until you leave this page.`
  const NEEDED = `Calls need ${tokenEndpoint ? 'key and secret' : 'the key'} of your application.`
  const REFUSED_TOKEN =
    'The API refuses the access token: it expired or was revoked, or the application is suspended or may no longer use this API.'
  const REFUSED_KEY = 'The API refuses the key: it is unknown, or was replaced by a newer one.'
  const REFUSED_APPLICATION = 'The key is known, but its application is suspended or may not use this API.'
  /** The client credentials, to renew the access token: { key, secret, expiresAt }. */
  let session
  /** The message shown when the dialog opens by itself. */
  let notice
  let system

  const dark = matchMedia('(prefers-color-scheme: dark)')
  const applyColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', applyColorScheme)
  applyColorScheme()

  // A page restored from the back-forward cache was left before: its credentials must be forgotten.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())

  SwaggerUIBundle({
    domNode: container,
    url: documentUrl,
    layout: 'ConsoleLayout',
    plugins: [consolePlugin, globalThis.operationsPlugin],
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    persistAuthorization: false,
    requestInterceptor: prepareCall,
  })

  function consolePlugin(swagger) {
    system = swagger
    return { components: { ConsoleLayout, authorizationPopup: AuthorizeDialog } }
  }

  // ---- calls ----

  async function prepareCall(request) {
    if (request.loadSpec) return request
    // Only the credential that was typed in is sent: no cookies, and no log-in dialog of the browser.
    request.credentials = 'omit'
    request.userFetch = call
    request.responseInterceptor = (response) => checkAnswer(request, response)
    if (session && Date.now() >= session.expiresAt) {
      const problem = await fetchAccessToken(session)
      if (problem) throw askAgain(`The access token expired, and a new one could not be obtained: ${problem}`)
      request.headers.Authorization = `Bearer ${authorized().getIn(['token', 'access_token'])}`
    }
    return request
  }

  /** Keeps the state of authorization true: what the API answers to the current credential decides. */
  function checkAnswer({ headers }, response) {
    const current = authorized()
    const [sent, valid] = tokenEndpoint
      ? [headers.Authorization, `Bearer ${current?.getIn(['token', 'access_token'])}`]
      : [headers[keyHeader], current?.get('value')]
    if (!current || sent !== valid) return
    if (response.status === 401) askAgain(tokenEndpoint ? REFUSED_TOKEN : REFUSED_KEY)
    else if (response.status === 403 && readError(response) === 'access_denied') askAgain(REFUSED_APPLICATION)
    else if (response.ok && !tokenEndpoint && !current.get('accepted')) saveKey(valid, true)
  }

  /** The error code of a guard. Its challenge cannot be read on another origin unless CORS exposes it. */
  function readError({ headers, data }) {
    const challenge = /\berror="(\w+)"/.exec(headers['www-authenticate'])
    try {
      return challenge?.[1] ?? JSON.parse(data).error
    } catch {
      return undefined
    }
  }

  async function call(url, options) {
    try {
      return await fetch(url, options)
    } catch (cause) {
      const { origin } = new URL(url, location)
      const cors = `, or does not allow this page to call it. It must allow the origin ${location.origin} (CORS)`
      throw new Error(`${origin} does not answer${origin === location.origin ? '' : cors}.`, { cause })
    }
  }

  /** Requests an access token (RFC 6749 section 4.4) and passes it to Swagger UI; resolves an error message or undefined. */
  async function fetchAccessToken({ key, secret }) {
    const headers = { Authorization: `Basic ${btoa(`${key}:${secret}`)}` }
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    let response
    try {
      response = await call(tokenEndpoint, { method: 'POST', credentials: 'omit', cache: 'no-store', headers, body })
    } catch (error) {
      return error.message
    }
    const answer = await response.json().catch(() => undefined)
    if (!answer?.access_token) return answer?.error_description ?? `${tokenEndpoint} answered ${response.status}.`
    session = { key, secret, expiresAt: Date.now() + ((answer.expires_in ?? 3600) - 2) * 1000 }
    const schema = { type: 'oauth2', flow: 'clientCredentials' }
    system.authActions.authorizeOauth2({ auth: { name: scheme, schema }, token: answer })
    return undefined
  }

  const authorized = () => system.authSelectors.authorized().get(scheme)

  function forget() {
    session = undefined
    system.authActions.logout([scheme])
  }

  function askAgain(message) {
    notice = `${message.replace(/\.?$/, '.')} Please authorize again.`
    forget()
    system.authActions.showDefinitions(system.authSelectors.definitionsToAuthorize())
    return Object.assign(new Error(notice), { name: '' })
  }

  /** `accepted`: whether the API has accepted the key. Until then, all that is known is that its checksum is right. */
  function saveKey(value, accepted) {
    const schema = { type: 'apiKey', in: 'header', name: keyHeader }
    system.authActions.authorize({ [scheme]: { name: scheme, schema, value, accepted } })
  }

  function describeState() {
    if (!authorized()) return NEEDED
    const checked = tokenEndpoint || authorized().get('accepted')
    return `${checked ? 'Authorized.' : 'Key saved, not checked yet.'} ${CARRIED}`
  }

  /** Whether a text ends with its checksum: the CRC-32 of all before as six base62 digits. Keys of all prefixes do. */
  function isCompleteKey(text) {
    if (!/^[A-Za-z][A-Za-z0-9_]*_key_[A-Za-z0-9]{34}$/.test(text)) return false
    let crc = -1
    for (const character of text.slice(0, -6)) {
      crc ^= character.charCodeAt(0)
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320)
    }
    let rest = ~crc >>> 0
    let checksum = ''
    for (let digit = 0; digit < 6; digit++) {
      checksum = BASE62[rest % 62] + checksum
      rest = Math.floor(rest / 62)
    }
    return text.endsWith(checksum)
  }

  // ---- components ----

  const h = (...args) => system.React.createElement(...args)
  const p = (className, ...content) => h('p', { className }, ...content)
  const buttonRow = (...buttons) => p('choice', ...buttons)
  const button = (className, text, more) => h('button', { className: `button ${className}`, ...more }, text)

  function ConsoleLayout({ specSelectors, errSelectors, getComponent }) {
    const component = (name, props) => h(getComponent(name, true), props)
    if (specSelectors.loadingStatus() !== 'success' || !specSelectors.specStr())
      return h('div', { className: 'swagger-ui' }, errSelectors.lastError() ? component('errors') : 'Loading…')
    const source = specSelectors.info().get('description')
    return h(
      'div',
      { className: 'swagger-ui' },
      component('errors'),
      source && h('div', { className: 'description' }, component('Markdown', { source })),
      h(
        'div',
        { className: 'authorize-bar' },
        component('AuthorizeBtnContainer'),
        h('p', { role: 'status' }, describeState()),
      ),
      h('h2', null, 'Operations'),
      component('operations'),
      component('Models'),
    )
  }

  /** A native dialog: it traps the focus, returns it, and closes with Escape. */
  function AuthorizeDialog({ authActions }) {
    const dialog = system.React.useRef()
    system.React.useEffect(() => {
      const { current } = dialog
      current.showModal()
      return () => current.close()
    }, [])
    const close = () => dialog.current.close()
    const onClose = () => authActions.showDefinitions(false)
    return h(
      'dialog',
      { ref: dialog, className: 'credentials', 'aria-labelledby': 'authorize-title', onClose },
      h('h2', { id: 'authorize-title' }, `Authorize: ${api}`),
      authorized()
        ? h(
            'div',
            { role: 'status' },
            p('', describeState()),
            buttonRow(
              // The button that was pressed is gone; without this, the focus would fall to the body.
              button('', 'Close', { onClick: close, autoFocus: true }),
              button('quiet', 'Forget the credentials', { onClick: forget }),
            ),
          )
        : h(CredentialsForm, { close }),
    )
  }

  function CredentialsForm({ close }) {
    const [problem, setProblem] = system.React.useState(notice)
    const [busy, setBusy] = system.React.useState(false)
    notice = undefined

    async function onSubmit(event) {
      event.preventDefault()
      const [key, secret] = ['key', 'secret'].map((name) => event.target.elements[name]?.value.trim())
      if (tokenEndpoint) {
        setBusy(true)
        setProblem(undefined)
        setProblem(await fetchAccessToken({ key, secret }))
        setBusy(false)
      } else if (!isCompleteKey(key)) {
        setProblem('This is not a complete key: characters are missing or wrong. Copy the whole key again.')
      } else {
        saveKey(key, false)
      }
    }

    return h(
      'form',
      { onSubmit },
      h(Field, { name: 'key', label: 'Key', parameter: tokenEndpoint ? 'client_id' : keyHeader }),
      tokenEndpoint && h(Field, { name: 'secret', label: 'Secret', parameter: 'client_secret', type: 'password' }),
      problem && h('p', { className: 'problem', role: 'alert' }, problem),
      p(
        'note',
        `${tokenEndpoint ? 'Both' : 'It'} ${credentialSource}. `,
        tokenEndpoint && 'Instead of the key you can use the id of your application. ',
        'Nothing that you type here is kept when you leave this page. ',
        register && h('a', { href: register }, 'Register'),
      ),
      buttonRow(
        button('', 'Authorize', { disabled: busy }),
        button('quiet', 'Close', { type: 'button', onClick: close }),
      ),
    )
  }

  function Field({ name, label, parameter, type = 'text' }) {
    // Visible ASCII characters: what HTTP Basic can carry. btoa() throws for characters above U+00FF.
    const rule = { required: true, pattern: '\\s*[!-~]+\\s*', title: 'Letters, digits and underscores, without spaces' }
    const inputOptions = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
    const text = h('label', { htmlFor: name }, label, ' ', h('code', null, parameter))
    return p('field', text, h('input', { id: name, name, type, ...rule, ...inputOptions }))
  }
})()
