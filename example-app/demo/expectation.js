// @ts-check

/**
 * @typedef {object} Answer
 * @property {string} to method and path of the request
 * @property {number} status
 * @property {Headers} headers
 * @property {Record<string, any>} body the JSON object; empty if the body is none
 *
 * @typedef {{ status: number, headers?: Record<string, unknown>, body?: Record<string, unknown> }} ExpectedAnswer
 */

/**
 * Runs one step and prints its title. If the step throws, the program ends.
 * @template T
 * @param {string} title @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function step(title, act) {
  try {
    const result = await act()
    console.log(`✓ ${title}`)
    return result
  } catch (error) {
    console.error(`✗ ${title}\n  ${error instanceof Error ? error.message : String(error)}`)
    return process.exit(1)
  }
}

/**
 * @param {string} method @param {string} url
 * @param {{ headers?: Record<string, string>, form?: Record<string, string>, json?: unknown }} [content]
 * @returns {Promise<Answer>}
 */
export async function request(method, url, { headers = {}, form, json } = {}) {
  const { origin, pathname } = new URL(url)
  const sent =
    json === undefined
      ? { headers, body: form ? new URLSearchParams(form) : null }
      : { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(json) }
  try {
    const answer = await fetch(url, { method, ...sent, redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    return { to: `${method} ${pathname}`, status: answer.status, headers: answer.headers, body: await readBody(answer) }
  } catch (error) {
    const { message, cause } = /** @type {Error & { cause?: { code?: string } }} */ (error)
    throw new Error(`${method} ${pathname}: no answer from ${origin} (${cause?.code ?? message}). Does it run?`, {
      cause: error,
    })
  }
}

/** Checks only what the expectation names. @param {Answer} answer @param {ExpectedAnswer} expected */
export function expectAnswer(answer, { status, headers = {}, body = {} }) {
  expect(`${answer.to}, status`, answer.status, status)
  for (const [name, value] of Object.entries(headers)) {
    expect(`${answer.to}, header ${name}`, answer.headers.get(name), value)
  }
  for (const [name, value] of Object.entries(body)) expect(`${answer.to}, body's ${name}`, answer.body[name], value)
}

/**
 * Throws if a value is not what was expected.
 * @param {string} what @param {unknown} actual
 * @param {unknown} expected a value, a pattern that its text must match, or a function that must return true for it
 */
export function expect(what, actual, expected) {
  if (matches(actual, expected)) return
  throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/** @param {unknown} actual @param {unknown} expected */
function matches(actual, expected) {
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual)
  return typeof expected === 'function' ? expected(actual) === true : actual === expected
}

/** @param {unknown} value */
function show(value) {
  if (value instanceof RegExp) return `something like ${value}`
  return typeof value === 'function' ? `what ${value.name}() holds of` : JSON.stringify(value)
}

/** @param {Response} answer */
async function readBody(answer) {
  const text = await answer.text()
  try {
    const body = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}
