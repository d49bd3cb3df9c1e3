import type { Brand } from '../contracts/brand.js'
import { hashSource } from './hash-source.js'
import { html, type Html } from './html.js'
import { COLORS } from './palette.js'

/** The parts of a page that show the provider's brand. Empty for a platform without the option `brand`. */
export interface PageBrand {
  /** Elements for the head, after the page's own style sheet. */
  readonly style: Html | false
  /** Logo and name. */
  readonly header: Html | false
  /** The link to help, for the end of the page. */
  readonly footer: Html | false
  /** A Content-Security-Policy that also allows the style sheet, by its hash, and the logo. */
  extendPolicy(policy: string): string
}

export function createPageBrand({ name, logo, accent, supportUrl }: Brand): PageBrand {
  const hasHeader = name !== undefined || logo !== undefined
  const hasColor = accent.light !== COLORS.accent.light || accent.dark !== COLORS.accent.dark
  if (!hasHeader && !hasColor && supportUrl === undefined) return NO_BRAND
  const css = `:root { --accent: light-dark(${accent.light}, ${accent.dark}) }${LAYOUT}`
  const source = hashSource(css)
  return {
    style: { markup: `<style>${css}</style>` },
    header:
      hasHeader &&
      html`<p class="brand">
        ${logo !== undefined && html`<img src="${logo}" alt="" />`}
        ${name !== undefined && html`<strong>${name}</strong>`}
      </p>`,
    footer: supportUrl !== undefined && html`<p class="help"><a href="${supportUrl}">Help</a></p>`,
    extendPolicy(policy) {
      const styled = policy.replace('style-src ', `style-src ${source} `)
      if (logo === undefined || /img-src [^;]*data:/.test(styled)) return styled
      return styled.includes('img-src ') ? styled.replace('img-src ', 'img-src data: ') : `${styled}; img-src data:`
    },
  }
}

const NO_BRAND: PageBrand = { style: false, header: false, footer: false, extendPolicy: (policy) => policy }

const LAYOUT = `
.brand { display: flex; gap: .625rem; align-items: center; margin: 0; padding: 1rem 0; overflow-wrap: anywhere }
.brand img { max-width: 12rem; max-height: 2.5rem }
.help { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9375rem }
`
