import { setTimeout as sleep } from 'node:timers/promises'
import { isRight } from './answer.mjs'
import { converse } from './conversation.mjs'
import { load, tryOut } from './load.mjs'
import { startServer } from './server-process.mjs'
import { median, quantile, shuffled } from './statistics.mjs'

/**
 * Seconds of load before the measurement of a turn: while a process is paused, its allocation rate is low, and V8 gives it
 * the smallest young generation. Under load it grows again.
 */
const LEAD_IN = 1

/** One turn says little about a process. */
const MIN_ROUNDS_OF_LIFE = 3

/** Warm-up requests per entry: for the JIT compiler, and so that each of 10,000 access tokens has been seen. */
const WARM_UP = 12_000

/**
 * Measures a group. In each round every entry has one turn, in shuffled order; ratios are taken within a round. `lives`
 * is the number of server starts, since the heap of one process can be favourable for its whole life. A turn lasts
 * `seconds`, or has as many requests as `turns` says.
 */
export async function measureGroup({ entries, lives = 1 }, { rounds: asked, seconds, turns: requests, folder, say }) {
  const rounds = lives > 1 ? Math.max(asked, MIN_ROUNDS_OF_LIFE * lives) : asked
  const results = new Map(entries.map(({ name }) => [name, { rounds: [] }]))
  for (let life = 0; life < lives; life++) {
    const from = Math.round((life * rounds) / lives)
    const to = Math.round(((life + 1) * rounds) / lives)
    if (to > from) await live(life, from, to)
  }
  const all = [...results.values()]
  return all.map((result) => summary(result, all.find(({ name }) => name === result.base) ?? all[0]))

  async function live(life, from, to) {
    const servers = new Map()
    try {
      const turns = []
      for (const entry of entries) turns.push(await prepare(entry, { servers, folder, say }))
      if (requests) for (const turn of turns) turn.conversation = await awake(turn.server, REST, () => converse(turn))
      for (let round = from + 1; round <= to; round++) {
        say(`round ${round} of ${rounds}`)
        for (const turn of shuffled(turns))
          turn.rounds.push({ life, ...(await measure(turn, { seconds, requests, folder })) })
      }
      for (const turn of turns) turn.conversation?.close()
      for (const turn of turns) await check(turn)
      for (const server of new Set(servers.values()))
        server.spent = await awake(server, REST, () => server.ask('memory'))
      for (const turn of turns) {
        const result = results.get(turn.name)
        Object.assign(result, { ...turn, rounds: [...result.rounds, ...turn.rounds] })
      }
    } finally {
      for (const server of servers.values()) await server.stop()
    }
  }
}

/** Starts the entry's server unless an equal one runs, checks its answers, and warms it up. */
async function prepare(entry, { servers, folder, say }) {
  const like = JSON.stringify(entry.server)
  if (!servers.has(like)) {
    say(`starting ${entry.name}`)
    servers.set(like, await startServer({ ...entry.server, id: `server-${servers.size}`, folder }))
  }
  const server = servers.get(like)
  const turn = { statuses: [200], ...entry, server, file: server.files[entry.lines], offset: 0, rounds: [] }
  await warmUp(turn, { folder })
  return turn
}

export async function warmUp(turn, { folder }) {
  await check(turn)
  let requests = 0
  while (requests < WARM_UP) requests += (await measure(turn, { seconds: 1, folder })).requests
}

/** Checks two answers: a fast wrong answer would win otherwise. */
async function check({ name, server, traffic, file, statuses }) {
  await awake(server, REST, async () => {
    for (const at of [0, 99]) {
      const answer = await tryOut({ port: server.port, traffic, file, at })
      if (!statuses.includes(answer.status) || (answer.status === 200 && !isRight(answer.text, traffic))) {
        throw new Error(`${name} answers ${answer.status}: ${answer.text}`)
      }
    }
  })
}

async function measure(turn, { seconds, requests, folder }) {
  const { server, traffic, file, statuses, name, conversation } = turn
  // Short turns cannot wait long; the first question is answered after the timers that are due.
  const rest = conversation ? 5 : REST
  return awake(server, rest, async () => {
    const { before, report, after } = conversation ? await converseFor(requests) : await loadFor(seconds)
    turn.offset += report.requests
    const expected = statuses[0] < 400 ? 0 : report.requests
    if (report.refused !== expected) throw new Error(`${name}: ${report.refused} of ${report.requests} were refused.`)
    const answered = after.requests - before.requests
    const scavenges = (1000 * (after.scavenges - before.scavenges)) / answered
    return { ...report, cpu: (after.cpu - before.cpu) / answered, scavenges }
  })

  async function converseFor(count) {
    const before = await server.ask('usage')
    const answers = await conversation.turn(count)
    return { before, report: answers, after: await server.ask('usage') }
  }

  async function loadFor(duration) {
    const loaded = load({ port: server.port, traffic, file, offset: turn.offset, seconds: LEAD_IN + duration, folder })
    const [before, answers] = await Promise.all([sleep(LEAD_IN * 1000).then(() => server.ask('usage')), loaded])
    return { before, report: answers, after: await server.ask('usage') }
  }
}

/** Milliseconds to wait after a pause: timers that became due in it must not count for a request. */
const REST = 150

async function awake(server, rest, work) {
  server.resume()
  await sleep(rest)
  try {
    return await work()
  } finally {
    server.pause()
  }
}

function summary({ name, startsWith, server, rounds }, base) {
  const values = (key) => rounds.map((round) => round[key])
  const ratios = rounds.map(({ cpu }, at) => cpu / base.rounds[at].cpu)
  const added = rounds.map(({ cpu }, at) => cpu - base.rounds[at].cpu)
  const latencies = rounds.map(({ p99 }, at) => p99 / base.rounds[at].p99)
  return {
    name,
    base: base.name,
    cpu: median(values('cpu')),
    cpuSpread: [quantile(values('cpu'), 0.25), quantile(values('cpu'), 0.75)],
    ratio: median(ratios),
    ratioSpread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    added: median(added),
    p50: median(values('p50')),
    p99: median(values('p99')),
    p99Ratio: median(latencies),
    slowestStart: slowestStart(rounds),
    scavenges: median(values('scavenges')),
    rate: median(rounds.map(({ requests, seconds }) => requests / seconds)),
    startsWith,
    startUp: server.startUp,
    ...server.spent,
  }
}

/** The process time of the slowest start by that of the median one: each that of its median round. */
function slowestStart(rounds) {
  const lives = [...new Set(rounds.map(({ life }) => life))]
  const starts = lives.map((life) => median(rounds.filter((round) => round.life === life).map(({ cpu }) => cpu)))
  return Math.max(...starts) / median(starts)
}
