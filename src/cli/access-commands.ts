import { changed, existing, nameOf } from './application.js'
import { command } from './command.js'
import { didYouMean } from '../lib/suggest.js'
import { RefusedError } from './failure.js'
import { EXAMPLE_ID, PROGRAM } from './program.js'

/** `apps ...`: what an application may use. */
export const accessCommands = [
  command({
    name: 'apps allow',
    summary: 'Lets an application use an API, or replaces what it may do there.',
    parameters: ['ID', 'API'],
    needs: 'options',
    changes: true,
    options: {
      scope: {
        kind: 'list',
        value: 'SCOPE',
        about: 'A scope to grant, again for the next; all the API has now if left out.',
      },
    },
    example: `apps allow ${EXAMPLE_ID} orders --scope orders:read --config platform.js`,
    async run({ platform, by, parameters: [id, api], values: { scope } }) {
      const application = await platform.applications.allow(id, api, { ...(scope.length > 0 && { scopes: scope }), by })
      const scopes = application.apis[api]?.scopes ?? []
      const told = `${nameOf(application)} may use ${api}${scopes.length > 0 ? ` with ${scopes.join(' ')}` : ''}.`
      const needsSecret = platform.apis.some(({ name, scheme }) => name === api && scheme === 'oauth2')
      const hint = `\nIt has no secret yet, which ${api} asks for: ${PROGRAM} apps rotate-secret ${id}`
      return changed(application, told + (needsSecret && application.secrets.length === 0 ? hint : ''))
    },
  }),
  command({
    name: 'apps disallow',
    summary: 'Takes an API from an application.',
    parameters: ['ID', 'API'],
    needs: 'store',
    changes: true,
    example: `apps disallow ${EXAMPLE_ID} orders --db platform.sqlite`,
    async run({ platform, by, parameters: [id, api] }) {
      const { apis } = await existing(platform, id)
      if (!Object.hasOwn(apis, api)) {
        const allowed = Object.keys(apis)
        const there = allowed.length > 0 ? `It may use ${allowed.join(', ')}.` : 'It may use none.'
        throw new RefusedError(`Application ${id} may not use "${api}" as it is. ${there}${didYouMean(api, allowed)}`)
      }
      const application = await platform.applications.disallow(id, api, { by })
      return changed(application, `${nameOf(application)} may no longer use ${api}.`)
    },
  }),
]
