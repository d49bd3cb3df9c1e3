import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Brand, BrandOptions } from '../contracts/brand.js'
import { describeWithFix, type ConfigurationProblem } from '../contracts/errors.js'
import { deriveAccent, findLowestContrast, MIN_CONTRAST, type Accent } from './accent.js'
import { COLORS } from './look.js'
import { findLineProblem } from '../lib/visible-text.js'
import { invalidOption, readGroup, wrongOption } from '../lib/option-checks.js'

const MAX_LOGO_BYTES = 32 * 1024
const MAX_NAME_LENGTH = 60

/** Each option is read once, at the start of whatever shows it first: it may name a file. With the warnings about it. */
const known = new WeakMap<BrandOptions, { readonly brand: Brand; readonly warnings: readonly ConfigurationProblem[] }>()

/** Reads the option `brand`, and warns at each call that asks for it. Throws `ConfigurationError`. */
export function readBrand(
  option: BrandOptions | undefined,
  warn: (warning: ConfigurationProblem) => unknown = () => undefined,
): Brand {
  if (option === undefined) return NO_BRAND
  const read = known.get(option) ?? readAnew(option)
  for (const warning of read.warnings) warn(warning)
  return read.brand
}

function readAnew(option: BrandOptions) {
  const warnings: ConfigurationProblem[] = []
  const { name, logo, color, supportUrl } = readGroup('brand', option, ['name', 'logo', 'color', 'supportUrl'])
  const brand = Object.freeze({
    name: readName(name),
    logo: logo === undefined ? undefined : readLogo(logo),
    accent: Object.freeze(color === undefined ? COLORS.accent : readAccent(readColor(color), warnings)),
    supportUrl: readSupportUrl(supportUrl),
  })
  const read = { brand, warnings }
  known.set(option, read)
  return read
}

const NO_BRAND: Brand = Object.freeze({
  name: undefined,
  logo: undefined,
  accent: COLORS.accent,
  supportUrl: undefined,
})

function readName(name: unknown): string | undefined {
  if (name === undefined) return undefined
  const isTrimmed = typeof name === 'string' && name.trim() === name && name !== ''
  const problem = isTrimmed ? findLineProblem(name, MAX_NAME_LENGTH) : undefined
  if (isTrimmed && problem === undefined) return name
  const fix = `Write a name of 1 to ${MAX_NAME_LENGTH} characters, such as "Example".`
  throw invalidOption(
    'brand.name',
    name,
    problem === undefined ? fix : describeWithFix({ problem: `It ${problem}`, fix }),
  )
}

function readColor(color: unknown): string {
  if (typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color)) return color.toLowerCase()
  throw invalidOption('brand.color', color, 'Write six hexadecimal digits, such as "#0f5f8c".')
}

/** A variant for dark pages is usual, so only one for light pages is worth a warning. */
function readAccent(color: string, warnings: ConfigurationProblem[]): Accent {
  const accent = deriveAccent(color)
  if (accent.light !== color) {
    // Rounded down: 4.49 is not enough.
    const contrast = Math.floor(findLowestContrast(color, 'light') * 10) / 10
    warnings.push({
      option: 'brand.color',
      problem: `is "${color}", which has a contrast of ${contrast}:1 on light pages, where text needs ${MIN_CONTRAST}:1`,
      fix: `${accent.light} is used there instead. Write a darker colour to choose it yourself.`,
    })
  }
  return accent
}

function readSupportUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url && /^(?:https?|mailto):$/.test(url.protocol)) return url.href
  throw invalidOption(
    'brand.supportUrl',
    value,
    'It is an absolute address, such as "https://example.com/help" or "mailto:support@example.com".',
  )
}

/** The logo as a data: URL. Only the beginning of the file decides what it is, whatever its name or its URL says. */
function readLogo(logo: unknown): string {
  if (typeof logo !== 'string' || logo === '') {
    throw invalidOption('brand.logo', logo, 'Give the path of a PNG, JPEG or SVG file, or a data: URL of one.')
  }
  const content = logo.startsWith('data:') ? readDataUrl(logo) : readLogoFile(logo)
  if (content.length > MAX_LOGO_BYTES) {
    throw wrongOption(
      'brand.logo',
      `has ${content.length} bytes`,
      `A logo has at most ${MAX_LOGO_BYTES}, because each page contains it. An SVG file is usually smaller.`,
    )
  }
  const type = recognizeType(content)
  if (type !== undefined) return `data:${type};base64,${content.toString('base64')}`
  throw wrongOption('brand.logo', 'is neither a PNG nor a JPEG nor an SVG image', 'Convert it to one of them.')
}

function readDataUrl(url: string): Buffer {
  const [, encoding, data] = /^data:[^,;]*(?:;charset=[\w-]+)?(;base64)?,([^]*)$/i.exec(url) ?? []
  try {
    if (data !== undefined) return encoding ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data))
  } catch {
    // The URL is not percent-encoded correctly.
  }
  throw wrongOption(
    'brand.logo',
    'is a data: URL that cannot be read',
    'Write data:image/png;base64,... or give the path of the file.',
  )
}

function readLogoFile(path: string): Buffer {
  const file = resolve(path)
  try {
    return readFileSync(file)
  } catch (error) {
    throw wrongOption(
      'brand.logo',
      `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      'Give the path of an image. A relative path starts at the folder in which the process was started.',
    )
  }
}

function recognizeType(content: Buffer): string | undefined {
  if (content.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png'
  if (content.subarray(0, 3).equals(JPEG_SIGNATURE)) return 'image/jpeg'
  const text = content.toString('utf8').replace(/^\uFEFF/, '')
  return /^\s*(?:<\?xml[^>]*\?>\s*|<!--[^]*?-->\s*|<!doctype[^>]*>\s*)*<svg[\s>]/i.test(text)
    ? 'image/svg+xml'
    : undefined
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff])
