/** A piece of code that is shown in one colour; plain text has no kind. */
export interface CodeToken {
  readonly kind: string | undefined
  readonly text: string
}

/** Longer texts stay plain: thousands of elements make pages slow. */
const MAX_CHARACTERS = 50_000

// Every end may be missing, so that no text is searched for the end of a string again and again.
const TEXT_BLOCK = /"""(?:[^"\\]|\\[^]|"(?!""))*(?:""")?/.source
/** A template literal, and in it code that may have blocks and plain templates of its own. */
const TEMPLATE = /`(?:[^`\\$]|\\[^]|\$(?!\{)|\$\{(?:[^`{}]|`(?:[^`\\]|\\[^])*`?|\{[^{}]*\}?)*\}?)*`?/.source
const QUOTED = /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/.source
const STRINGS = `${TEXT_BLOCK}|${QUOTED}|${TEMPLATE}`
const NUMBERS = /\b\d[\w.]*/.source
const WORDS =
  'as|async|await|catch|class|const|def|defer|echo|elif|else|except|final|for|from|func|function|if|import|in|let|new|nil|not|null|package|private|public|raise|return|static|string|struct|throw|true|false|None|True|False|try|type|use|using|var|void|while|with'

const writeRules = (comment: string): RegExp =>
  new RegExp(
    `(?<comment>${comment})|(?<string>${STRINGS})|(?<name>\\$\\w+)|(?<number>${NUMBERS})|(?<word>\\b(?:${WORDS})\\b)`,
    'g',
  )
const SLASHES = writeRules(/(?<![:\w])\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/.source)
const HASH = writeRules('#.*')

/** The rules of each language. Others are those of C and its descendants. */
const RULES: Readonly<Record<string, RegExp>> = {
  json: /(?<name>"(?:[^"\\]|\\[^])*"(?=\s*:))|(?<string>"(?:[^"\\]|\\[^])*"?)|(?<number>-?\b\d[\d.eE+-]*)|(?<word>\b(?:true|false|null)\b)/g,
  curl: /(?<string>'[^']*'?|"(?:[^"\\]|\\[^])*"?)|(?<name>\$\{?\w+)|(?<word>(?<=^|[\s(])(?:curl|if|then|fi|sed|printf)\b|(?<=\s)--?[A-Za-z][\w-]*)/gm,
  python: HASH,
  yaml: HASH,
  ruby: HASH,
}

/** The pieces of code in a language, such as `json` or `curl`, in their order: together they are the code. */
export function splitCode(code: string, language: string): CodeToken[] {
  if (code.length > MAX_CHARACTERS) return [{ kind: undefined, text: code }]
  const rules = Object.hasOwn(RULES, language) ? RULES[language]! : SLASHES
  const tokens: CodeToken[] = []
  let end = 0
  for (const { 0: text, index, groups } of code.matchAll(rules)) {
    const kind = Object.keys(groups!).find((name) => groups![name] !== undefined)!
    if (index > end) tokens.push({ kind: undefined, text: code.slice(end, index) })
    tokens.push({ kind, text })
    end = index + text.length
  }
  if (end < code.length) tokens.push({ kind: undefined, text: code.slice(end) })
  return tokens
}

/** The language of code in Markdown, by the word behind its fence; undefined for others, and without one. */
export function findFenceLanguage(fence = ''): string | undefined {
  const [word = ''] = /^\w*/.exec(fence.toLowerCase()) ?? []
  return /^(?:(?:ba|z)?sh|shell|console|curl)$/.test(word) ? 'curl' : FENCES.includes(word) ? word : undefined
}

const FENCES = 'json python yaml ruby js javascript ts typescript java go php csharp rust kotlin swift'.split(' ')

/** The language of a body of that media type; undefined for plain text. */
export function findBodyLanguage(mediaType: string): 'json' | undefined {
  return /[/+]json\b/i.test(mediaType) ? 'json' : undefined
}
