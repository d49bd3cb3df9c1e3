// Runs command lines with the built program in one process, one after another: starting Node and loading the modules takes
// longer than a command. The argument is a JSON list of lists of words; prints a JSON list of their codes and output.
import { PassThrough, Writable } from 'node:stream'

/** @type {typeof import('../../../src/tools/cli/run.js')} */
const { run } = await import(new URL('../../../dist/modules/tools/cli/run.js', import.meta.url).href)

/** @type {string[][]} */
const lines = JSON.parse(process.argv[2] ?? '[]')
const results = []
for (const words of lines) {
  const printed = { stdout: '', stderr: '' }
  /** @param {'stdout' | 'stderr'} name */
  const collect = (name) =>
    new Writable({
      write(chunk, _encoding, done) {
        printed[name] += chunk
        done()
      },
    })
  const [stdin, stdout, stderr] = [new PassThrough(), collect('stdout'), collect('stderr')]
  const manifest = { version: '1.2.3', engines: { node: '>=20.0.0' } }
  results.push({ code: await run(words, { stdin, stdout, stderr, env: {}, manifest }), ...printed })
}
process.stdout.write(JSON.stringify(results))
