import { expect, it } from 'vitest'
import { useShop } from './shop.js'

const LOGO = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`
const PAGES = ['', 'apis/orders', 'register', 'register/claim', 'applications']

async function readPages(brand: object | undefined) {
  const shop = await useShop({ options: { ...(brand && { brand }) } })
  return Promise.all(
    PAGES.map(async (path) => {
      const response = await fetch(new URL(path, `${shop.developers}/`))
      return { path, policy: response.headers.get('content-security-policy') ?? '', page: await response.text() }
    }),
  )
}

it('shows name, logo, colour and support address on every page, and its policy allows that and nothing more', async () => {
  const brand = { name: 'Tea & <Co>', logo: LOGO, color: '#7a1fa2', supportUrl: 'https://example.com/help' }
  for (const { path, policy, page } of await readPages(brand)) {
    expect(page, path).toContain('<strong>Tea &#38; &#60;Co&#62;</strong>')
    expect(page, path).toContain(`<img src="${LOGO}" alt="" />`)
    expect(page, path).toContain('--accent: light-dark(#7a1fa2, ')
    expect(page, path).toContain('<a href="https://example.com/help">Help</a>')
    expect(policy, path).toMatch(/style-src 'sha256-[^']+' '/)
    expect(policy, path).toMatch(/img-src [^;]*data:/)
    expect(policy, path).not.toContain('unsafe')
  }
})

it('changes no page without the option', async () => {
  for (const { path, policy, page } of await readPages(undefined)) {
    expect(page, path).not.toMatch(/class="help"|class="home"[^>]*>\s*<img/)
    if (path !== 'apis/orders') expect(policy, path).not.toContain('data:')
  }
})
