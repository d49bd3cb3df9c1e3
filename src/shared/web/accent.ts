import { COLORS } from './look.js'

/** A colour of links and buttons, in a light and in a dark page. */
export interface Accent {
  readonly light: string
  readonly dark: string
}

/** WCAG 2.2, 1.4.3: the contrast of text with its background. */
export const MIN_CONTRAST = 4.5

/**
 * Variants of a colour (`#rrggbb`) that can be read on each background of the pages and e-mails, and on which the text of buttons
 * can be read: the colour itself where its contrast suffices, otherwise the nearest one with more black or white in it.
 */
export function deriveAccent(color: string): Accent {
  return { light: mixUntilReadable(color, '#000000', 'light'), dark: mixUntilReadable(color, '#ffffff', 'dark') }
}

function mixUntilReadable(color: string, other: string, page: keyof Accent): string {
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = mix(color, other, percent / 100)
    if (findLowestContrast(mixed, page) >= MIN_CONTRAST) return mixed
  }
  return other
}

/** The contrast ratio of a colour with that background of light or dark pages on which it is lowest. */
export function findLowestContrast(color: string, page: keyof Accent): number {
  const { paper, raised, code, 'on-accent': onAccent } = COLORS
  return Math.min(...[paper, raised, code, onAccent].map((other) => computeContrast(color, other[page])))
}

function mix(color: string, other: string, share: number): string {
  const others = readChannels(other)
  const mixed = readChannels(color).map((channel, index) => Math.round(channel * (1 - share) + others[index]! * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** The contrast ratio of WCAG 2.2: 1 to 21. */
export function computeContrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [computeLuminance(one), computeLuminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The relative luminance of WCAG 2.2. */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = readChannels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function readChannels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
}
