#!/usr/bin/env node
import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Manifest } from './errors.js'
import { run } from './run.js'

const { stdin, stdout, stderr, env } = process
// Modules of options may log: stdout is for the command's result alone.
globalThis.console = new Console(stderr)
// The reader of a pipe has closed it (`| head`), which is no error.
stdout.on('error', () => process.exit(process.exitCode))
// Time-outs do not keep a process alive. Without this timer, Node exits with code 13 while a store without an
// open connection does not answer (test/tools/cli/main.integration.test.ts).
setInterval(() => undefined, 60_000)

const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as Manifest
process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, env, manifest })
await Promise.all([flush(stdout), flush(stderr)])
// Modules of options may have opened something that keeps the process alive, such as a pool.
process.exit()

async function flush(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}
