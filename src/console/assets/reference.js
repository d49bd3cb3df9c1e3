// @ts-nocheck This runs in browsers; the package's own types are those of Node.

// Swagger UI with a layout and an Authorize dialog of ours. Key, secret and access token are in this file's memory and
// in Swagger UI's, nowhere else, and go with the page.
;(() => {
  const place = document.getElementById('reference')
  const { api, scheme, tokenEndpoint, document: address, register } = place.dataset
  const AUTHORIZED = `Authorized. Calls carry the ${tokenEndpoint ? 'access token' : 'key'} until you leave this page.`
  const NEEDED = `Calls need ${tokenEndpoint ? 'key and secret' : 'the key'} of your application.`
  /** What access tokens are got with: { key, secret, expiresAt }. */
  let grant
  /** Why the dialog opens by itself. */
  let reason
  let system

  const dark = matchMedia('(prefers-color-scheme: dark)')
  const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', dress)
  dress()

  // A page that the browser has kept to go back to is a page that was left.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())

  SwaggerUIBundle({
    domNode: place,
    url: address,
    layout: 'ConsoleLayout',
    plugins: [consolePlugin],
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    persistAuthorization: false,
    requestInterceptor: beforeCall,
    responseInterceptor: afterCall,
  })

  function consolePlugin(swagger) {
    system = swagger
    return {
      components: { ConsoleLayout, SyntaxHighlighter: Code, authorizationPopup: AuthorizeDialog },
      wrapComponents: { TextArea: labelled, parameters: withScopes, responses: distinct },
    }
  }

  // ---- calls ----

  async function beforeCall(request) {
    if (request.loadSpec) return request
    // Nothing but the credential that was typed in counts: no cookie, and no log-in dialog of the browser's.
    request.credentials = 'omit'
    request.userFetch = call
    if (grant && Date.now() >= grant.expiresAt) {
      const problem = await fetchAccessToken(grant)
      if (problem) throw askAgain(`The access token expired, and there was no new one: ${problem}`)
      request.headers.Authorization = `Bearer ${authorized().getIn(['token', 'access_token'])}`
    }
    return request
  }

  function afterCall(response) {
    const refused = response.status === 401 && /\berror="invalid_token"/.test(response.headers['www-authenticate'])
    if (grant && refused) askAgain(`The access token is no longer accepted: ${wordsOf(response)}`)
    return response
  }

  async function call(url, options) {
    try {
      return await fetch(url, options)
    } catch (cause) {
      const { origin } = new URL(url, location)
      const cors = `, or does not let this page call it. It must allow the origin ${location.origin} (CORS)`
      throw new Error(`${origin} does not answer${origin === location.origin ? '' : cors}.`, { cause })
    }
  }

  /** Gets an access token (RFC 6749 4.4) and hands it to Swagger UI; resolves what went wrong, in words. */
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
    grant = { key, secret, expiresAt: Date.now() + ((answer.expires_in ?? 3600) - 2) * 1000 }
    const schema = { type: 'oauth2', flow: 'clientCredentials' }
    system.authActions.authorizeOauth2({ auth: { name: scheme, schema }, token: answer })
    return undefined
  }

  const authorized = () => system.authSelectors.authorized().get(scheme)

  function forget() {
    grant = undefined
    system.authActions.logout([scheme])
  }

  function askAgain(words) {
    reason = `${words.replace(/\.?$/, '.')} Please authorize again.`
    forget()
    system.authActions.showDefinitions(system.authSelectors.definitionsToAuthorize())
    return Object.assign(new Error(reason), { name: '' })
  }

  function wordsOf({ data, statusText }) {
    try {
      return JSON.parse(data).error_description
    } catch {
      return statusText
    }
  }

  // ---- components ----

  const h = (...args) => system.React.createElement(...args)
  const p = (className, ...content) => h('p', { className }, ...content)
  const choice = (...buttons) => p('choice', ...buttons)
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
      h('h2', null, 'AdminApi'),
      component('operations'),
      component('Models'),
    )
  }

  /** Without colours. What is long scrolls, and must then be reached by keyboard. */
  function Code({ children, className = '' }) {
    const text = String(children)
    const long = text.length > 600 || text.split('\n').length > 20
    return h('pre', { className: `microlight ${className}`, tabIndex: long ? 0 : undefined }, h('code', null, text))
  }

  function labelled(Original) {
    return (props) => h(Original, { 'aria-label': 'Request body', ...props })
  }

  /** Says which scopes an operation needs. */
  function withScopes(Original, { specSelectors }) {
    return (props) => {
      const security = props.operation.get('security') ?? specSelectors.security()
      const scopes = [...new Set(security?.toJS().flatMap((needs) => needs[scheme] ?? []))]
      const codes = scopes.flatMap((scope) => [' ', h('code', { key: scope }, scope)])
      const said = scopes.length > 0 && p('scopes', scopes.length > 1 ? 'Scopes' : 'Scope', ...codes)
      return h(system.React.Fragment, null, said, h(Original, props))
    }
  }

  /** Its table is a landmark; several need names. */
  function distinct(Original) {
    return function Responses(props) {
      const root = system.React.useRef()
      system.React.useEffect(() => {
        const name = `Responses: ${props.method.toUpperCase()} ${props.path}`
        root.current.querySelector('table[role="region"]')?.setAttribute('aria-label', name)
      })
      return h('div', { ref: root }, h(Original, props))
    }
  }

  /** The browser's own dialog: it holds the focus, gives it back, and closes with Escape. */
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
            choice(
              // Where the button that was pressed is gone, the focus is to go on here.
              button('', 'Close', { onClick: close, autoFocus: true }),
              button('quiet', 'Forget it', { onClick: forget }),
            ),
          )
        : h(CredentialsForm, { authActions, close }),
    )
  }

  function CredentialsForm({ authActions, close }) {
    const [problem, setProblem] = system.React.useState(reason)
    const [busy, setBusy] = system.React.useState(false)
    reason = undefined

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

    const came = `${tokenEndpoint ? 'Both' : 'It'} came by e-mail when your application was registered. `
    return h(
      'form',
      { onSubmit },
      h(Field, { name: 'key', label: 'Key', also: tokenEndpoint ? 'client_id' : 'X-Api-Key' }),
      tokenEndpoint && h(Field, { name: 'secret', label: 'Secret', also: 'client_secret', type: 'password' }),
      problem && h('p', { className: 'problem', role: 'alert' }, problem),
      p('note', came, 'Nothing typed in here outlasts this page. ', register && h('a', { href: register }, 'Register')),
      choice(button('', 'Authorize', { disabled: busy }), button('quiet', 'Close', { type: 'button', onClick: close })),
    )
  }

  function Field({ name, label, also, type = 'text' }) {
    // What HTTP Basic can carry; btoa() throws for anything else.
    const rule = { required: true, pattern: '\\s*[!-~]+\\s*', title: 'Letters, digits and underscores, without spaces' }
    const manners = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
    const text = h('label', { htmlFor: name }, label, ' ', h('code', null, also))
    return p('field', text, h('input', { id: name, name, type, ...rule, ...manners }))
  }
})()
