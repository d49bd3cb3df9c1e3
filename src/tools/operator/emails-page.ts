import type { EmailEntry } from '../../features/emails/index.js'
import type { Language } from '../../shared/contracts/application-record.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderPill } from '../../shared/web/parts.js'
import { labelAction, renderActions } from './actions.js'
import { LANGUAGES } from './action-form.js'
import { fillTime, renderAge, renderApplicationLink, renderItem } from './formats.js'
import { isNarrowed, PAGE_SIZE, readQuery, renderList, renderSearch } from './list-page.js'
import { maySeeNames, type Answer, type Visit } from './visit.js'

export async function answerEmails(visit: Visit): Promise<Answer> {
  const { auth, texts } = visit
  const state = readQuery(visit, 'state') as EmailEntry['state'] | undefined
  const { items, next } = await auth.emails!.list({ state, after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  const rows = items
    .toSorted((one, other) => Number(other.state === 'failed') - Number(one.state === 'failed'))
    .map((email) => renderEmail(visit, email, true))
  return renderList(visit, {
    tab: 'emails',
    rows,
    next,
    actions: renderActions(visit, 'emails', {
      except: next !== undefined || items.some(({ problem }) => problem !== undefined) ? [] : ['retryAllEmails'],
      more: html`<a class="action" href="${visit.root}/preview">${texts.preview}</a>`,
    }),
    search: (rows.length > 0 || isNarrowed(visit)) && [
      { name: 'state', label: texts.labels.status, choices: [['', texts.any], ...Object.entries(texts.emailStates)] },
    ],
    empty: { title: texts.noEmails, isGood: true },
  })
}

/** A row of an e-mail; `isAmongAll`: with whom it is for, and what can be done. */
export function renderEmail(visit: Visit, email: EmailEntry, isAmongAll: boolean): Html {
  const { texts, root, may } = visit
  const { applicationId, name, purpose, recipient, state, problem, createdAt, dueAt } = email
  const hasFailed = state === 'failed'
  const isOffered = isAmongAll && problem !== undefined && name !== ''
  const mayRetry = isOffered && may('emails.retry') && may('applications.get')
  const link = maySeeNames(visit) ? renderApplicationLink(visit, { id: applicationId, name }) : applicationId
  return renderItem(
    html`${isAmongAll ? html`<strong>${link}</strong>` : texts.purposes[purpose]}
    ${renderPill(texts.emailStates[state], hasFailed ? 'bad' : problem === undefined ? undefined : 'warn')}`,
    [
      isAmongAll && texts.purposes[purpose],
      problem !== undefined && html`<span class="wrong">${describeMailProblem(problem, texts)}</span>`,
      renderAge(createdAt, visit),
      state === 'due' && fillTime(texts.nextAttempt, dueAt, visit),
      isAmongAll && maySeeNames(visit) && recipient,
    ],
    mayRetry &&
      html`<a class="action" href="${root}/applications/${applicationId}/retryEmails"
        >${labelAction('retryEmails', texts)}</a
      >`,
  )
}

export function describeMailProblem(problem: string, { mailCodes }: Visit['texts']): string {
  const words = /^[45]\d\d$/.test(problem) && mailCodes[problem.slice(1) as keyof typeof mailCodes]
  return words ? `${problem}, ${words}` : problem
}

/** An e-mail of each kind as it is sent, with nothing real in it: the page around it, or the e-mail alone, for its frame. */
export async function answerPreview(visit: Visit, isFramed: boolean): Promise<Answer | undefined> {
  const { texts, root, core } = visit
  const emails = core.find('emails')
  if (!emails) return undefined
  const choose = <Value extends string>(name: string, choices: readonly string[]): Value => {
    const given = readQuery(visit, name) ?? ''
    return (choices.includes(given) ? given : choices[0]) as Value
  }
  const purpose = choose<EmailContent['purpose']>('purpose', Object.keys(texts.purposes))
  const codes = LANGUAGES.map(([code]) => code)
  const language = choose<Language>('language', [visit.language, ...codes])
  const { subject, text, html: markup } = await emails.preview(purpose, language)
  if (isFramed) return { framed: markup }
  const address = new URLSearchParams({ purpose, language }).toString()
  return {
    heading: texts.preview,
    tab: 'emails',
    parent: ['/emails', texts.tabs.emails],
    content: html`${renderSearch(visit, 'preview', [
        { name: 'purpose', label: texts.labels.purpose, choices: Object.entries(texts.purposes) },
        { name: 'language', label: texts.labels.language, choices: LANGUAGES, value: language },
      ])}
      <p><span class="soft">${texts.labels.subject}</span> <strong>${subject}</strong></p>
      <iframe class="preview" sandbox src="${root}/preview.html?${address}" title="${subject}"></iframe>
      <details>
        <summary>${texts.asText}</summary>
        <pre class="data">${text}</pre>
      </details>`,
  }
}
