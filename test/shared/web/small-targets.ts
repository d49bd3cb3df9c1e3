import type { Page } from 'playwright-core'

/**
 * The controls of a page that are smaller than a finger, with their size in pixels. A link in a sentence is none: its height is
 * that of the line (WCAG 2.2, 2.5.5 "inline"). The box of a choice is as large as its label.
 */
export function findSmallTargets(page: Page): Promise<{ offenders: string[]; pageWidth: number }> {
  return page.evaluate(() => {
    const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab], [role=option]'
    const dialog = document.querySelector('dialog[open]')

    function isShown(each: Element): boolean {
      return each.checkVisibility({ visibilityProperty: true }) && each.closest('.unseen, .skip, svg') === null
    }

    /** Whether words that are no link stand before or behind the link in its paragraph. */
    function isInSentence(each: Element): boolean {
      if (each.localName !== 'a' || getComputedStyle(each).display !== 'inline') return false
      const block = each.closest('p, li, dd, td, th, label, h1, h2, h3, h4, h5, h6, div')
      const copy = block?.cloneNode(true) as Element | undefined
      for (const other of copy?.querySelectorAll('a, button, ul, ol, .unseen') ?? []) other.remove()
      return /\p{L}/u.test(copy?.textContent ?? '')
    }

    function measure(each: Element): { width: number; height: number } {
      // A link that covers the card or the row in which it is.
      if (getComputedStyle(each, '::after').position === 'absolute') {
        let covered = each.parentElement!
        while (getComputedStyle(covered).position === 'static') covered = covered.parentElement!
        return covered.getBoundingClientRect()
      }
      const isChoice = each.matches('[type=checkbox], [type=radio]')
      return (isChoice ? (each as HTMLInputElement).labels![0]! : each).getBoundingClientRect()
    }

    const offenders = [...(dialog ?? document).querySelectorAll(CONTROLS)]
      .filter((each) => isShown(each) && !isInSentence(each))
      .flatMap((each) => {
        const { width, height } = measure(each)
        // A control that scrolls shows all of its text, but a text that is cut off cannot be read.
        const isCut = each.matches('a, button') && each.scrollWidth > Math.ceil(width)
        if (width >= 43.99 && height >= 43.99 && !isCut) return []
        const name = (each.getAttribute('aria-label') ?? each.textContent ?? '').trim().replaceAll(/\s+/g, ' ')
        const place = each.closest('[class], [id]')
        return [
          `${each.localName} in ${place?.id || place?.className || 'body'}: "${name.slice(0, 40)}" ${Math.round(width)} x ${Math.round(height)}${isCut ? ', cut off' : ''}`,
        ]
      })
    return { offenders: [...new Set(offenders)], pageWidth: document.documentElement.scrollWidth }
  })
}
