import { assert, integer, property, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { computeContrast, deriveAccent } from '../../../src/shared/web/accent.js'
import { COLORS } from '../../../src/shared/web/look.js'

const MODES = ['light', 'dark'] as const

it('computes the contrast ratios of WCAG', () => {
  expect(computeContrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(computeContrast('#ffffff', '#ffffff')).toBe(1)
  // The grey with the smallest sufficient contrast on white, as WebAIM's contrast checker has it.
  expect(computeContrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
})

it('derives colours from any colour that can be read on each background, and on which the text of buttons can be read', () => {
  const channel = integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, '0'))
  const color = tuple(channel, channel, channel).map((channels) => `#${channels.join('')}`)
  assert(
    property(color, (given) => {
      const accent = deriveAccent(given)
      for (const mode of MODES) {
        for (const other of [COLORS.paper, COLORS.raised, COLORS.code, COLORS['on-accent']]) {
          expect(computeContrast(accent[mode], other[mode])).toBeGreaterThanOrEqual(4.5)
        }
      }
    }),
    { numRuns: 500 },
  )
})

it('keeps a colour that can be read', () => {
  expect(deriveAccent('#0f5f8c').light).toBe('#0f5f8c')
  expect(deriveAccent('#7cc0ea').dark).toBe('#7cc0ea')
})

it('has colours of its own that can be read, without the option', () => {
  for (const mode of MODES) {
    for (const text of [COLORS.ink, COLORS.soft, COLORS.accent, COLORS.bad]) {
      for (const background of [COLORS.paper, COLORS.raised, COLORS.code]) {
        expect(computeContrast(text[mode], background[mode])).toBeGreaterThanOrEqual(4.5)
      }
    }
  }
})
