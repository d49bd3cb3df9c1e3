import type { ApplicationStatus } from '../index.js'
import { changed, existing, nameOf } from './application.js'
import { command, PAGING } from './command.js'
import { defined } from './defined.js'
import { RefusedError, UsageError } from './failure.js'
import { emailsOf } from './emails.js'
import { pagesOf } from './pages.js'
import { listOfApplications, portraitOf } from './format.js'
import { EXAMPLE_ID } from './program.js'

/** `apps ...`: which there are, and their lives. */
export const applicationsCommands = [
  command({
    name: 'apps list',
    summary: 'Lists applications, oldest first; deleted ones only by --status.',
    needs: 'store',
    options: {
      api: { kind: 'text', value: 'API', about: 'Only those that may use this API.' },
      status: { kind: 'text', value: 'STATUS', about: 'Only pending, active, suspended or deleted ones.' },
      ...PAGING,
    },
    example: 'apps list --db platform.sqlite --api orders --status active',
    async run({ platform, values: { api, status, after, limit, all } }) {
      const { items, next } = await pagesOf({ after, all }, async (from) => {
        const query = { after: from, limit, api, status: status as ApplicationStatus | undefined }
        const { items: applications, next } = await platform.applications.list(defined(query))
        return { items: applications, next }
      })
      const more = next ? `\n\nThere are more: --after ${next}` : ''
      return { json: { items, next }, text: listOfApplications(items) + more }
    },
  }),
  command({
    name: 'apps show',
    summary: 'Shows an application: what it may use, its live credentials, emails that wait.',
    parameters: ['ID'],
    needs: 'store',
    example: `apps show ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, store, parameters: [id] }) {
      const application = await existing(platform, id)
      const emails = await emailsOf(store, id)
      return { json: { application, emails }, text: portraitOf(application, emails) }
    },
  }),
  command({
    name: 'apps update',
    summary: 'Changes name or contact.',
    parameters: ['ID'],
    needs: 'store',
    changes: true,
    options: {
      name: { kind: 'text', value: 'NAME', about: 'What it is called from now on.' },
      contact: { kind: 'text', value: 'ADDRESS', about: 'Where its emails go from now on.' },
    },
    example: `apps update ${EXAMPLE_ID} --contact dev@shop.example --db platform.sqlite`,
    async run({ platform, by, parameters: [id], values: { name, contact } }) {
      if (name === undefined && contact === undefined) {
        throw new UsageError('Nothing to change: give --name, --contact, or both.', 'apps update')
      }
      const application = await platform.applications.update(id, { ...defined({ name, contact }), by })
      return changed(application, `Updated ${nameOf(application)}.`)
    },
  }),
  command({
    name: 'apps suspend',
    summary: 'Stops an application: its credentials and access tokens are refused until "apps resume".',
    parameters: ['ID'],
    needs: 'store',
    changes: true,
    example: `apps suspend ${EXAMPLE_ID} --db platform.sqlite --by alice`,
    async run({ platform, by, parameters: [id] }) {
      const application = await platform.applications.suspend(id, { by })
      return changed(application, `Suspended ${nameOf(application)}. Servers refuse it within a second.`)
    },
  }),
  command({
    name: 'apps resume',
    summary: 'Lets a suspended application go on, with the credentials it has.',
    parameters: ['ID'],
    needs: 'store',
    changes: true,
    example: `apps resume ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, by, parameters: [id] }) {
      const application = await platform.applications.resume(id, { by })
      return changed(application, `Resumed ${nameOf(application)}.`)
    },
  }),
  command({
    name: 'apps delete',
    summary: 'Deletes an application for ever: name, contact and credentials are erased, id and audit stay.',
    notes: ['On a terminal it asks first; elsewhere it wants --yes.'],
    parameters: ['ID'],
    needs: 'store',
    changes: true,
    options: { yes: { kind: 'flag', about: 'Without asking.' } },
    example: `apps delete ${EXAMPLE_ID} --yes --db platform.sqlite`,
    async run({ platform, by, confirm, parameters: [id], values: { yes } }) {
      if (!yes) {
        if (!confirm)
          throw new UsageError('Deleting is for ever, and nobody is here to be asked: give --yes.', 'apps delete')
        const question = `Delete ${nameOf(await existing(platform, id))} for ever?`
        if (!(await confirm(question))) throw new RefusedError('Not deleted.')
      }
      const application = await platform.applications.delete(id, { by })
      return changed(application, `Deleted ${id}.`)
    },
  }),
]
