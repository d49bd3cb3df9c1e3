/**
 * Runs a contender in its own process: `server.mjs <contender> <options as JSON>`. Answers questions over IPC: CPU time
 * and requests so far, memory, a profile.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { constants, PerformanceObserver } from 'node:perf_hooks'

const [contender, json] = process.argv.slice(2)
const options = JSON.parse(json)
const { start } = await import(`./contenders/${contender}.mjs`)
const { app, startUp, files } = await started()

let requests = 0
const server = createServer((req, res) => {
  requests += 1
  app(req, res)
})
// Connections must stay open while other contenders have their turns.
server.keepAliveTimeout = 3_600_000
server.listen(0, '127.0.0.1', () => {
  say({ port: server.address().port, files, startUp })
})

let scavenges = 0
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) scavenges += 1
}).observe({ entryTypes: ['gc'] })

const profiler = new Session()
const answers = {
  usage() {
    const { user, system } = process.cpuUsage()
    return { cpu: user + system, requests, scavenges }
  },
  memory() {
    globalThis.gc?.()
    return { rss: process.memoryUsage.rss(), heapUsed: process.memoryUsage().heapUsed }
  },
  async profile() {
    profiler.connect()
    await profiler.post('Profiler.enable')
    await profiler.post('Profiler.setSamplingInterval', { interval: 200 })
    await profiler.post('Profiler.start')
  },
  async profiled() {
    const { profile } = await profiler.post('Profiler.stop')
    const file = join(options.folder, `${options.id}.cpuprofile`)
    writeFileSync(file, JSON.stringify(profile))
    return { file }
  },
}
process.on('message', (question) => {
  void answer(question)
})
process.on('disconnect', () => process.exit())

async function answer(question) {
  say((await answers[question]()) ?? {})
}

/** Writes the prepared requests to files and drops them: they would count as the contender's memory. */
async function started() {
  const { lines = {}, ...rest } = await start(options)
  return { ...rest, files: written(lines) }
}

function say(message) {
  process.send(message)
}

/** One file per kind, one line per request. */
function written(lines) {
  return Object.fromEntries(
    Object.entries(lines).map(([kind, texts]) => {
      const file = join(options.folder, `${options.id}.${kind}.txt`)
      writeFileSync(file, texts.join('\n'), { mode: 0o600 })
      return [kind, file]
    }),
  )
}
