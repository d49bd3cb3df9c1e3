import { copyFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { load } from './load.mjs'
import { warmUp } from './measure.mjs'
import { startServer } from './server-process.mjs'

const SHOWN = 30

/** Runs a warmed-up entry alone under V8's sampling profiler, and lists the functions with the most self time. */
export async function profileOf(entry, { seconds, folder }) {
  const server = await startServer({ ...entry.server, id: `profile-${Date.now()}`, folder })
  try {
    const turn = { statuses: [200], ...entry, server, file: server.files[entry.lines], offset: 0 }
    await warmUp(turn, { folder })
    server.resume()
    await server.ask('profile')
    await load({ ...turn, port: server.port, seconds: Math.max(5, seconds), folder })
    const { file } = await server.ask('profiled')
    const kept = join(tmpdir(), basename(file))
    copyFileSync(file, kept)
    return `${selfTimes(JSON.parse(readFileSync(file, 'utf8')))}\n${kept}`
  } finally {
    await server.stop()
  }
}

/** Self time of each function as a part of all samples. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const times = new Map()
  let total = 0
  for (const [at, sample] of samples.entries()) {
    const place = places.get(sample)
    if (place === '(idle)') continue
    total += timeDeltas[at]
    times.set(place, (times.get(place) ?? 0) + timeDeltas[at])
  }
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([place, time]) => `${((time / total) * 100).toFixed(1).padStart(6)} %  ${place}`)
    .join('\n')
}

function placeOf({ functionName, url, lineNumber }) {
  const file = url.replace(/^.*\/(node_modules|dist)\//, '')
  return file ? `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}` : functionName
}
