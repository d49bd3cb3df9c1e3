// @ts-nocheck This runs in browsers; the package's own types are those of Node.

// Swagger UI with our own layout and Authorize dialog. Key, secret and access token are kept in the memory of this
// script and of Swagger UI only, and end with the page.
;(() => {
  const container = document.getElementById('reference')
  const { api, scheme, tokenEndpoint, document: documentUrl, credentialSource, register } = container.dataset
  const AUTHORIZED = `Authorized. Calls carry the ${tokenEndpoint ? 'access token' : 'key'} until you leave this page.`
  const NEEDED = `Calls need ${tokenEndpoint ? 'key and secret' : 'the key'} of your application.`
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
    plugins: [consolePlugin],
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    persistAuthorization: false,
    requestInterceptor: prepareCall,
    responseInterceptor: checkAnswer,
  })

  function consolePlugin(swagger) {
    system = swagger
    return {
      components: { ConsoleLayout, SyntaxHighlighter: Code, authorizationPopup: AuthorizeDialog },
      wrapComponents: { TextArea: withLabel, parameters: withScopes, responses: withNamedTable },
    }
  }

  // ---- calls ----

  async function prepareCall(request) {
    if (request.loadSpec) return request
    // Only the credential that was typed in is sent: no cookies, and no log-in dialog of the browser.
    request.credentials = 'omit'
    request.userFetch = call
    if (session && Date.now() >= session.expiresAt) {
      const problem = await fetchAccessToken(session)
      if (problem) throw askAgain(`The access token expired, and a new one could not be obtained: ${problem}`)
      request.headers.Authorization = `Bearer ${authorized().getIn(['token', 'access_token'])}`
    }
    return request
  }

  function checkAnswer(response) {
    const refused = response.status === 401 && /\berror="invalid_token"/.test(response.headers['www-authenticate'])
    if (session && refused) askAgain(`The access token is no longer accepted: ${readDescription(response)}`)
    return response
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

  function readDescription({ data, statusText }) {
    try {
      return JSON.parse(data).error_description
    } catch {
      return statusText
    }
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
        p('', authorized() ? AUTHORIZED : NEEDED),
      ),
      h('h2', null, 'Operations'),
      component('operations'),
      component('Models'),
    )
  }

  /** Plain text instead of highlighting. Long code scrolls, so it must be reachable by keyboard. */
  function Code({ children, className = '' }) {
    const text = String(children)
    const long = text.length > 600 || text.split('\n').length > 20
    return h('pre', { className: `microlight ${className}`, tabIndex: long ? 0 : undefined }, h('code', null, text))
  }

  function withLabel(Original) {
    return (props) => h(Original, { 'aria-label': 'Request body', ...props })
  }

  /** Shows the scopes that an operation requires. */
  function withScopes(Original, { specSelectors }) {
    return (props) => {
      const security = props.operation.get('security') ?? specSelectors.security()
      const scopes = [...new Set(security?.toJS().flatMap((requirement) => requirement[scheme] ?? []))]
      const codes = scopes.flatMap((scope) => [' ', h('code', { key: scope }, scope)])
      const line = scopes.length > 0 && p('scopes', scopes.length > 1 ? 'Scopes' : 'Scope', ...codes)
      return h(system.React.Fragment, null, line, h(Original, props))
    }
  }

  /** The table of responses is a landmark (role="region"), and several landmarks of one kind need names. */
  function withNamedTable(Original) {
    return function Responses(props) {
      const root = system.React.useRef()
      system.React.useEffect(() => {
        const name = `Responses: ${props.method.toUpperCase()} ${props.path}`
        root.current.querySelector('table[role="region"]')?.setAttribute('aria-label', name)
      })
      return h('div', { ref: root }, h(Original, props))
    }
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
            p('', AUTHORIZED),
            buttonRow(
              // The button that was pressed is gone; without this, the focus would fall to the body.
              button('', 'Close', { onClick: close, autoFocus: true }),
              button('quiet', 'Forget the credentials', { onClick: forget }),
            ),
          )
        : h(CredentialsForm, { authActions, close }),
    )
  }

  function CredentialsForm({ authActions, close }) {
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
      } else {
        const schema = { type: 'apiKey', in: 'header', name: 'X-Api-Key' }
        authActions.authorize({ [scheme]: { name: scheme, schema, value: key } })
      }
    }

    return h(
      'form',
      { onSubmit },
      h(Field, { name: 'key', label: 'Key', parameter: tokenEndpoint ? 'client_id' : 'X-Api-Key' }),
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
