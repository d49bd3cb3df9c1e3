import { fillText } from '../../../shared/lib/fill-in.js'
import { callWords } from './words.js'
export function formatJson(text: string): string | undefined {
  if (findJsonProblem(text) !== undefined) return undefined
  let depth = 0
  let result = ''
  // A string, a bracket with what closes it at once, a comma, a colon, or anything else up to one of them.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    if (token.length > 1 && /^[[{]/.test(token)) result += token.replaceAll(/\s/g, '')
    else if (token === '[' || token === '{') result += token + newLine(++depth)
    else if (token === ']' || token === '}') result += newLine(--depth) + token
    else if (token === ',') result += token + newLine(depth)
    else result += token === ':' ? ': ' : token
  }
  return result
}

export function findJsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return fillText(callWords.notJson, { place: describeSyntaxError(error as Error, text) })
  }
}

/** Engines name the place differently: an offset (V8), line and column (Firefox), or nothing (Safari). */
function describeSyntaxError({ message }: Error, text: string): string {
  const position = /at position (\d+)/.exec(message)
  if (position && !message.includes('line')) {
    const before = text.slice(0, Number(position[1])).split('\n')
    return fillText(callWords.place, { line: before.length, column: before.at(-1)!.length + 1 })
  }
  const place = /line (\d+) column (\d+)/.exec(message)
  if (place) return fillText(callWords.place, { line: place[1]!, column: place[2]! })
  return message.replace(/^JSON Parse error: |^JSON\.parse: /, '').replace(/\.$/, '')
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}
