import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkOptions, type PlatformAuthOptions } from '../../../src/index.js'
import { emails } from '../../../src/features/emails/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { readBrand } from '../../../src/shared/web/read-brand.js'
import { openPlatform } from '../../support/platform.js'

const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(8)])
const SVG =
  '<?xml version="1.0"?>\n<!-- A logo -->\n<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>'
const folder = mkdtempSync(join(tmpdir(), 'brand-'))
afterAll(() => rmSync(folder, { recursive: true }))

function writeLogo(name: string, content: Buffer | string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** The brand that the pages and e-mails of a platform show. */
function openBranded(brand: PlatformAuthOptions['brand']) {
  return readBrand(openPlatform({ brand, mailer: memoryMailer() }).auth.brand)
}

describe('brand', () => {
  it('has no name, no logo and the colours of the pages if it is left out', () => {
    expect(openBranded(undefined)).toEqual({
      name: undefined,
      logo: undefined,
      accent: { light: '#1b5cc4', dark: '#8ab4ff' },
      supportUrl: undefined,
    })
  })

  it('has a warning for a colour that light pages cannot have, with its contrast and the colour used instead', () => {
    const options = { brand: { color: '#ffd400' }, mailer: memoryMailer() }
    const { auth, logger } = openPlatform(options)
    const { light } = readBrand(auth.brand).accent
    expect(logger.lines).toEqual([
      `brand.color is "#ffd400", which has a contrast of 1.3:1 on light pages, where text needs 4.5:1. ${light} is used there instead. Write a darker colour to choose it yourself.`,
    ])
    for (const color of ['#7a1fa2', light]) {
      expect(openPlatform({ ...options, brand: { color } }).logger.lines).toEqual([])
    }
    // A second platform with the same option has it too.
    expect(openPlatform(options).logger.lines).toEqual(logger.lines)
  })

  it('is on pages and in e-mails, with the logo as a data: URL and a colour for each kind of page', () => {
    expect(
      openBranded({
        name: 'Example',
        logo: writeLogo('logo.bin', PNG),
        color: '#7A1FA2',
        supportUrl: 'mailto:help@example.com',
      }),
    ).toEqual({
      name: 'Example',
      logo: `data:image/png;base64,${PNG.toString('base64')}`,
      accent: { light: '#7a1fa2', dark: expect.stringMatching(/^#[0-9a-f]{6}$/) as string },
      supportUrl: 'mailto:help@example.com',
    })
  })

  it.each([
    ['an SVG file', () => writeLogo('logo.svg', SVG)],
    ['a data: URL in base64', () => `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`],
    ['a data: URL with percent-encoding', () => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(SVG)}`],
  ])('takes a logo from %s', (_, logo) => {
    expect(openBranded({ logo: logo() }).logo).toBe(`data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`)
  })

  it.each([
    ['brand', 'Example', /^brand is a string/],
    ['brand.colour', { colour: '#ffffff' }, /is not an option.*brand\.color|is not an option.*color/],
    ['brand.name', { name: '' }, /^brand\.name is ""/],
    ['brand.name', { name: 'two\nlines' }, /^brand\.name/],
    ['brand.name', { name: 'x'.repeat(61) }, /^brand\.name/],
    ['brand.color', { color: 'purple' }, /^brand\.color is "purple"\. Write six hexadecimal digits/],
    ['brand.color', { color: '#fff' }, /^brand\.color/],
    ['brand.color', { color: '#ffffff; background: url(x)' }, /^brand\.color/],
    ['brand.supportUrl', { supportUrl: 'javascript:alert(1)' }, /^brand\.supportUrl/],
    ['brand.supportUrl', { supportUrl: '/help' }, /^brand\.supportUrl is "\/help"/],
    [
      'brand.logo',
      { logo: '/nowhere/logo.png' },
      /^brand\.logo names \/nowhere\/logo\.png, which cannot be read \(ENOENT\)/,
    ],
    ['brand.logo', { logo: 'data:image/png' }, /^brand\.logo is a data: URL that cannot be read/],
    ['brand.logo', { logo: 'data:text/html,<script>alert(1)</script>' }, /^brand\.logo is neither a PNG/],
    [
      'brand.logo',
      { logo: `data:image/svg+xml,${'<svg>'.padEnd(32 * 1024 + 1)}` },
      /^brand\.logo has 32769 bytes\. A logo has at most 32768/,
    ],
  ])('as %s: %j is refused', (option, value, message) => {
    const { error } = checkOptions({
      baseUrl: 'https://api.example.com',
      apis: { catalog: { scheme: 'apiKey' } },
      brand: value,
      features: [emails({ mailer: memoryMailer() })],
    } as PlatformAuthOptions)
    expect(error?.message).toMatch(message)
    expect(error?.option).toBe(option)
  })
})
