import type { BrandOptions } from '../contracts/brand.js'
import { html, type Html } from './html.js'
import { COLORS } from './look.js'
import { readBrand } from './read-brand.js'
import { createHash } from 'node:crypto'

export type PageBrand = ReturnType<typeof createPageBrand>

export function createPageBrand(option: BrandOptions | undefined) {
  const { name, logo, accent, supportUrl } = readBrand(option)
  const hasColor = accent.light !== COLORS.accent.light || accent.dark !== COLORS.accent.dark
  const css = `:root { --accent: light-dark(${accent.light}, ${accent.dark}); --fill: var(--accent); --on-fill: var(--on-accent); --shade: light-dark(#000, #fff) }`
  return {
    isNamed: name !== undefined || logo !== undefined,
    /** Elements for the head, after the page's own style sheet. */
    style: hasColor && { markup: `<style>${css}</style>` },
    /** Logo, or the first letter in an attribute, as it is no word of the page, and name. `label`: the name of a platform that has none. */
    renderName: (label: string): Html =>
      html`${logo === undefined ? html`<span class="initial" data-text="${/./u.exec(name ?? label)?.[0]}"></span>` : html`<img src="${logo}" alt="" />`}<strong${name === undefined && logo !== undefined && html` class="unseen"`}>${name ?? label}</strong>`,
    /** The link to help, for the end of the page. */
    supportUrl,
    /** A Content-Security-Policy that also allows the style sheet, by its hash, and the logo. */
    extendPolicy(policy: string): string {
      const styled = hasColor ? policy.replace('style-src ', `style-src ${hashSource(css)} `) : policy
      if (logo === undefined || /img-src [^;]*data:/.test(styled)) return styled
      return styled.includes('img-src ') ? styled.replace('img-src ', 'img-src data: ') : `${styled}; img-src data:`
    },
  }
}

/** The source with which a Content-Security-Policy allows a style or a script that is in the page. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
