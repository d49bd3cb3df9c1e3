import { describe, expect, it } from 'vitest'
import { blocksOf, documentationPages } from './pages.js'

describe.each(documentationPages().map((page) => [page.path, page] as const))('%s', (_path, page) => {
  it('says what each name is that its examples spread', () => {
    const blocks = blocksOf(page).filter(({ language }) => ['js', 'ts'].includes(language))
    const code = blocks.map((block) => block.code).join('\n')
    // In prose, lists such as `[newest, ...older]` describe a form.
    const spread = new Set([...page.text.matchAll(/(?<!`\[[^\]\n]*)\.\.\.([a-z]\w*)/g)].map((found) => found[1]!))
    const undefinedNames = [...spread].filter((name) => !isBound(name).test(code) && !isDescribed(name).test(page.text))
    expect(undefinedNames).toEqual([])
  })
})

/** The name without the three dots, as a constant, a parameter or what a pattern takes, and not as a member's name. */
function isBound(name: string): RegExp {
  return new RegExp(`(?<![.\\w'])${name}(?=[,)]| \\}| =|\\.)`)
}

function isDescribed(name: string): RegExp {
  return new RegExp(`\`${name}\`\\s(?:in\\sthe\\sexamples\\s)?has\\s`)
}
