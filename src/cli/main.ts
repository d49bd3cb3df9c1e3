#!/usr/bin/env node
import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { run } from './run.js'
import type { Manifest } from './program.js'

const { stdin, stdout, stderr, env } = process
// stdout holds what was asked for, and nothing that a module of options may have to say.
globalThis.console = new Console(stderr)
// Whoever reads has had enough (`| head`): no fault of ours.
stdout.on('error', () => process.exit(process.exitCode))

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as Manifest
process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, env, manifest })
await Promise.all([written(stdout), written(stderr)])
// Options may have opened what keeps a process alive, such as a pool.
process.exit()

async function written(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}
