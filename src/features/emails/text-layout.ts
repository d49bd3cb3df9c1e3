import type { EmailCode, EmailLink, EmailTexts } from '../../shared/contracts/composed-email.js'

/** A link as readers see it: an e-mail address without its scheme and parameters. */
export function formatLinkText(link: string): string {
  const [, address] = /^mailto:([^?]+)/.exec(link) ?? []
  return address ?? link
}

/** An e-mail as plain text. Each code and link has a line of its own. */
export function formatText(
  { paragraphs, box, facts, actions, sections, links, notes }: EmailTexts,
  colon: string,
): string {
  const formatCode = ({ label, code }: EmailCode): string =>
    `${label}${colon}\n\n    ${code.replaceAll('\n', '\n    ')}`
  const formatLink = ({ label, link }: EmailLink): string => formatCode({ label, code: formatLinkText(link) })
  const blocks = [
    ...paragraphs,
    ...box.map(formatCode),
    ...facts.map(formatCode),
    ...actions.map(formatLink),
    ...sections.flatMap((section) => [
      `${section.title}\n${'-'.repeat(section.title.length)}`,
      ...section.codes.map(formatCode),
      ...section.links.map(formatLink),
    ]),
    ...links.map(formatLink),
    ...notes,
  ]
  return `${blocks.join('\n\n')}\n`
}

/** A time such as `2027-01-31 10:00:00 UTC`, rounded down to the second: nobody may count on a moment too late. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
