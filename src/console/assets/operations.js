// @ts-nocheck This runs in browsers; the package's own types are those of Node.

/** A plugin of Swagger UI for what an opened operation shows. reference.js loads it. */
globalThis.operationsPlugin = (system) => {
  const { scheme } = document.getElementById('reference').dataset
  /** How often each request body was reset, by path and method. */
  const remounts = new Map()
  const h = (...args) => system.React.createElement(...args)

  return {
    // Operations can always be called, so there is nothing to try out or to cancel.
    components: { SyntaxHighlighter: Code, TryItOutButton: () => null },
    wrapComponents: {
      TextArea: withLabel,
      parameters: withScopes,
      RequestBody: withReset,
      execute: withResetButton,
      clear: withFocus,
      responses: withNamedTable,
      responseBody: withMedia,
    },
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
      const line =
        scopes.length > 0 && h('p', { className: 'scopes' }, scopes.length > 1 ? 'Scopes' : 'Scope', ...codes)
      return h(system.React.Fragment, null, line, h(Original, props))
    }
  }

  /** Execute, and Reset for a body. Before Swagger UI has resolved an opened operation, Execute would throw. */
  function withResetButton(Execute) {
    return class extends Execute {
      reset = () => {
        const { path, method, oas3Actions } = this.props
        const pathMethod = [path, method]
        remounts.set(String(pathMethod), (remounts.get(String(pathMethod)) ?? 0) + 1)
        oas3Actions.initRequestBodyValidateError({ pathMethod })
        oas3Actions.setRequestBodyValue({ value: undefined, pathMethod })
      }
      render() {
        const { operation, disabled } = this.props
        if (operation.size === 0) return null
        // The attribute "disabled" would drop the focus.
        const state = { 'aria-disabled': disabled, onClick: disabled ? undefined : this.onClick }
        return h(
          system.React.Fragment,
          null,
          h('button', { className: 'btn execute', ...state }, 'Execute'),
          operation.has('requestBody') && h('button', { className: 'btn reset', onClick: this.reset }, 'Reset body'),
        )
      }
    }
  }

  /**
   * Resets and complains about a request body. A new form has the initial values; Swagger UI's own reset sends a text in
   * place of each file, and where a value is missing, it says so nowhere.
   */
  function withReset(RequestBody) {
    return (props) => {
      const { specPath, requestBodyErrors, requestBodyValue } = props
      const [, path, method] = specPath
      const hasErrors = (field) => field?.get?.('errors')?.size > 0
      const lacksValues = requestBodyErrors?.size > 0 || requestBodyValue?.some?.(hasErrors)
      return h(
        system.React.Fragment,
        null,
        h(RequestBody, { ...props, key: remounts.get(String([path, method])) }),
        lacksValues && h('p', { className: 'problem', role: 'alert' }, 'The request body lacks a required value.'),
      )
    }
  }

  /** Clear removes itself. The focus would fall to the body. */
  function withFocus(Clear) {
    return class extends Clear {
      render() {
        const onClick = ({ target }) => {
          target.parentElement.querySelector('.execute').focus()
          this.onClick()
        }
        return h('button', { className: 'btn btn-clear', onClick }, 'Clear')
      }
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

  /** Swagger UI shows an image without a name, and requests audio again, without the credential. */
  function withMedia(Original) {
    return function Media(props) {
      const root = system.React.useRef()
      system.React.useEffect(() => root.current.querySelector('img')?.setAttribute('alt', 'Response body'))
      const contentType = props.contentType?.replace(/^audio\/.*/i, 'application/octet-stream')
      return h('div', { ref: root }, h(Original, { ...props, contentType }))
    }
  }
}
