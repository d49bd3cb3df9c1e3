import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isThere, pinned } from './pinned.mjs'

const run = promisify(execFile)
export const CONNECTIONS = 16
const AUTOCANNON = fileURLToPath(new URL('autocannon.mjs', import.meta.url))

/** The load generator in use. */
export const generator = isThere('wrk') ? 'wrk' : 'autocannon'

/**
 * Sends requests over 16 connections for a number of seconds. Each takes the next line of the traffic's file, from
 * `offset` on. Resolves the number of answers, the number with status 400 and above, and latencies in milliseconds.
 */
export async function load({ port, traffic, file, offset = 0, seconds, folder }) {
  const job = { ...traffic, port, file, offset, seconds, connections: CONNECTIONS }
  const [command, ...args] = pinned(1, generator === 'wrk' ? wrkCommand(job, folder) : autocannonCommand(job))
  const { stdout } = await run(command, args, { maxBuffer: 1e8 })
  const report = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{')))
  if (report.broken > 0) throw new Error(`${report.broken} connections or answers broke: ${stdout}`)
  return report
}

/** Sends one request of the traffic and resolves its answer. */
export async function tryOut({ port, traffic, file, at = 0 }) {
  const lines = file === undefined ? [] : readFileSync(file, 'utf8').split('\n')
  const { path, ...request } = requestOf(traffic, lines[at % lines.length])
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request)
  return { status: response.status, text: await response.text() }
}

/** The traffic's request with one of its lines. */
export function requestOf({ method = 'GET', path, headers = {}, body, vary, before = '' }, line) {
  const varied = before + line
  if (vary === 'body') return { method, path, headers, body: varied }
  return { method, path, headers: { ...headers, ...(vary && { [vary]: varied }) }, body }
}

function autocannonCommand(job) {
  return [process.execPath, AUTOCANNON, JSON.stringify(job)]
}

function wrkCommand(job, folder) {
  const script = join(folder, 'load.lua')
  writeFileSync(script, luaOf(job))
  const { connections, seconds, port } = job
  return [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ]
}

function luaOf({ method = 'GET', path, headers = {}, body, vary, before = '', file, offset }) {
  const fixed = Object.entries(headers).map(([name, value]) => `headers[${lua(name)}] = ${lua(value)}`)
  const varied = { body: 'body = line', undefined: '' }[vary] ?? `headers[${lua(vary)}] = line`
  return `
local lines, at = {}, ${offset}
local headers, body = {}, ${body === undefined ? 'nil' : lua(body)}
${fixed.join('\n')}
function init()
  ${file === undefined ? '' : `for line in io.lines(${lua(file)}) do lines[#lines + 1] = ${lua(before)} .. line end`}
end
function request()
  local line = lines[at % #lines + 1]
  at = at + 1
  ${varied}
  return wrk.format(${lua(method)}, ${lua(path)}, headers, body)
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests":%d,"refused":%d,"broken":%d,"p50":%f,"p99":%f,"seconds":%f}\\n', summary.requests,
    e.status, e.connect + e.read + e.write + e.timeout, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.duration / 1e6))
end
`
}

function lua(text) {
  return JSON.stringify(text)
}
