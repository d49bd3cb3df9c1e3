/**
 * One program for each export of a formatted module: its statement, and what that needs of the others. Whether a declaration can
 * name a type depends on what else the program imports, so each export is compiled alone.
 */
export function eachExportAlone(code: string): readonly string[] {
  const statements = code.split(/^(?=import|export|\/\/)/m).map((text) => ({ text, names: findNames(text) }))
  const declaring = new Map(
    statements.flatMap(({ text }, at) => findDeclared(text).map((name): [string, number] => [name, at])),
  )
  return statements.flatMap(({ text }, first) => {
    if (!text.startsWith('export')) return []
    const needed = new Set([first])
    const names = new Set<string>()
    // A set's loop also visits what is added meanwhile.
    for (const at of needed) {
      for (const name of statements[at]?.names ?? []) {
        names.add(name)
        const from = declaring.get(name)
        if (from !== undefined) needed.add(from)
      }
    }
    const parts = [...needed].toSorted((a, b) => a - b).map((at) => statements[at]?.text ?? '')
    return parts.map((part) => (part.startsWith('import') ? keepUsed(part, names) : part)).join('')
  })
}

/** The identifiers that are no members, no keys and no strings. An import needs nothing. */
function findNames(text: string): readonly string[] {
  if (!text.startsWith('export')) return []
  return text.match(/(?<![\w$'])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*(?![\w$:])/g) ?? []
}

function findDeclared(text: string): readonly string[] {
  const list = /^(?:import|export const) (?:\* as )?(\{[^}]*\}|[\w$]+)/.exec(text)?.[1]
  const one = /^export (?:async )?(?:function|class) ([\w$]+)/.exec(text)?.[1]
  return (list ?? one ?? '').match(/[\w$]+(?=\s*[,}]|$)/g) ?? []
}

/** An import with the names that a program uses. Others would bring types into it. */
function keepUsed(text: string, used: ReadonlySet<string>): string {
  return text.replace(/\{[^}]*\}/, (list) => {
    const names = list.slice(1, -1).split(',')
    return `{${names.filter((name) => used.has(/(\w+)\s*$/.exec(name)?.[1] ?? '')).join(',')} }`
  })
}
