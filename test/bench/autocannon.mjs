/** The load generator if wrk is not installed: `autocannon.mjs <job as JSON>`. It prints the same report as wrk's script. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

const job = JSON.parse(process.argv[2])
const { method = 'GET', path, headers = {}, body, vary, before = '' } = job
const lines = job.file === undefined ? [''] : readFileSync(job.file, 'utf8').split('\n')
let at = job.offset

// All connections take their lines from one sequence.
function setupRequest(request) {
  const line = before + lines[at % lines.length]
  at += 1
  if (vary === 'body') return { ...request, body: line }
  return vary === undefined ? request : { ...request, headers: { ...request.headers, [vary]: line } }
}

const result = await autocannon({
  url: `http://127.0.0.1:${job.port}`,
  connections: job.connections,
  duration: job.seconds,
  requests: [{ method, path, headers, body, setupRequest }],
})
const report = {
  requests: result.requests.total,
  refused: result.non2xx,
  broken: result.errors + result.timeouts,
  p50: result.latency.p50,
  p99: result.latency.p99,
  seconds: result.duration,
}
process.stdout.write(`\n${JSON.stringify(report)}\n`)
