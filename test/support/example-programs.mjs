// Runs a program of the example app as often as it is asked, in one process: starting Node and loading the modules takes
// longer than what the program does. Each run has its own environment, and process.exit() ends the run alone.
class Exit extends Error {
  /** @param {string | number | null | undefined} code */
  constructor(code) {
    super(`exit ${code}`)
    this.code = code
  }
}

const exit = process.exit.bind(process)
process.exit = (code = 0) => {
  throw new Exit(code)
}
process.on('disconnect', () => exit())

let printed = { stdout: '', stderr: '' }
process.stdout.write = (/** @type {unknown} */ text) => {
  printed.stdout += text
  return true
}
process.stderr.write = (/** @type {unknown} */ text) => {
  printed.stderr += text
  return true
}

let runs = 0
process.on(
  'message',
  (/** @type {{ file: string, env: Record<string, string> }} */ { file, env }) => void run(file, env),
)

/** @param {string} file @param {Record<string, string>} env */
async function run(file, env) {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  printed = { stdout: '', stderr: '' }
  const code = await import(`${file}?run=${++runs}`).then(
    () => 0,
    (error) => {
      if (error instanceof Exit) return error.code
      console.error(error)
      return 1
    },
  )
  process.send?.({ code, ...printed })
}
