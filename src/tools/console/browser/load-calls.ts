import type { Calls } from './calls.js'

/** The calls of this page's API, which need a script that is loaded when it is first needed. */
export type CallsLoader = ReturnType<typeof createCallsLoader>

/** Loads `calls.js` once. `root`: the URL of the console's index. */
export function createCallsLoader(root: string) {
  let loading: Promise<Calls> | undefined
  let isLoaded = false

  async function start(url: string): Promise<Calls> {
    await loadScript(url)
    isLoaded = true
    return (globalThis as unknown as { platformCalls: { createCalls(root: string): Calls } }).platformCalls.createCalls(
      root,
    )
  }

  return {
    get isLoaded() {
      return isLoaded
    },
    /** Rejects if the file cannot be loaded; the next call tries again. */
    load(url: string): Promise<Calls> {
      loading ??= start(url).catch((error: unknown) => {
        loading = undefined
        throw error
      })
      return loading
    },
  }
}

function loadScript(src: string): Promise<void> {
  return new Promise((loaded, failed) => {
    const script = document.createElement('script')
    script.addEventListener('load', () => loaded())
    script.addEventListener('error', () => failed(new Error(`${src} could not be loaded.`)))
    script.src = src
    document.head.append(script)
  })
}
