import { expect, it } from 'vitest'
import { COLORS, LOOK_CSS, shortenStyle } from '../../../src/shared/web/look.js'
import { PARTS_CSS } from '../../../src/shared/web/parts.js'

it('the style sheet has a custom property for each colour, in light and dark', () => {
  for (const [name, { light, dark }] of Object.entries(COLORS)) {
    expect(LOOK_CSS + PARTS_CSS).toContain(` --${name}: light-dark(${light}, ${dark});`)
  }
})

it('a style sheet is shortened without another meaning', () => {
  const long = `/* a: b */\n.a > :is(.b, .c):hover { color: red; margin: 0 .5em }\n@media (max-width: 4rem), (pointer: coarse) {\n  .d .e { inset: 0 }\n}\n`
  expect(shortenStyle(long)).toBe(
    '.a > :is(.b,.c):hover{color:red;margin:0 .5em}@media (max-width:4rem),(pointer:coarse){.d .e{inset:0}}',
  )
})

it.each(['light', 'dark'] as const)('text is readable in %s pages: a contrast of 4.5:1 (WCAG 2.2, 1.4.3)', (mode) => {
  const pairs = [
    ['ink', 'paper'],
    ['soft', 'paper'],
    ['accent', 'paper'],
    ['bad', 'paper'],
    ['ink', 'raised'],
    ['ink', 'code'],
    ['on-accent', 'accent'],
    ...(['info', 'good', 'warn', 'bad', 'other'] as const).flatMap((tone) => [
      [tone, `${tone}-ground`] as const,
      [tone, 'paper'] as const,
      [tone, 'raised'] as const,
    ]),
  ] as const
  for (const [text, background] of pairs) {
    const contrast = computeContrast(COLORS[text][mode], COLORS[background][mode])
    expect(contrast, `${text} on ${background}`).toBeGreaterThanOrEqual(4.5)
  }
})

/** WCAG 2.2, "contrast ratio". */
function computeContrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [computeLuminance(a), computeLuminance(b)].toSorted((x, y) => y - x)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, "relative luminance". */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
