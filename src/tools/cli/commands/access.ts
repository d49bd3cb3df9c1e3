import { didYouMean } from '../../../shared/lib/suggest.js'
import { command, option } from '../command.js'
import { CommandError } from '../errors.js'
import { EXAMPLE_ID, PROGRAM } from '../program.js'
import { formatName } from './application-format.js'
import { getApplication } from './applications.js'

/** `apps ...`: what an application may use, and its access tokens. */
export const accessCommands = [
  command({
    name: 'apps allow',
    summary: 'Allows an application to use an API, or replaces the scopes that it has there.',
    parameters: ['ID', 'API'],
    requires: 'options',
    options: {
      scope: option.list(
        'SCOPE',
        'A scope to grant; repeat it for the next. The default is all scopes that the API has now.',
      ),
    },
    example: `apps allow ${EXAMPLE_ID} orders --scope orders:read --config platform.js`,
    async run({ platform, by, parameters: [id, api], values: { scope } }) {
      const application = await platform.applications.allow(id, api, { ...(scope.length > 0 && { scopes: scope }), by })
      const scopes = application.apis[api]?.scopes ?? []
      const text = `${formatName(application)} may use ${api}${scopes.length > 0 ? ` with ${scopes.join(' ')}` : ''}.`
      const needsSecret = platform.apis.some(({ name, scheme }) => name === api && scheme === 'oauth2')
      const hint = `\nIt has no secret yet, and ${api} needs one: ${PROGRAM} apps rotate-secret ${id}`
      return {
        json: { application },
        text: needsSecret && application.secrets.length === 0 ? text + hint : text,
      }
    },
  }),
  command({
    name: 'apps disallow',
    summary: 'Removes an API from an application.',
    parameters: ['ID', 'API'],
    example: `apps disallow ${EXAMPLE_ID} orders --db platform.sqlite`,
    async run({ platform, by, parameters: [id, api] }) {
      const { apis } = await getApplication(platform, id)
      if (!Object.hasOwn(apis, api)) {
        const allowed = Object.keys(apis)
        const list = allowed.length > 0 ? `It may use ${allowed.join(', ')}.` : 'It may use none.'
        throw new CommandError(`Application ${id} may not use "${api}" anyway. ${list}${didYouMean(api, allowed)}`)
      }
      const application = await platform.applications.disallow(id, api, { by })
      return { json: { application }, text: `${formatName(application)} may no longer use ${api}.` }
    },
  }),
  command({
    name: 'apps revoke-tokens',
    summary: 'Refuses every access token that an application was issued up to now.',
    notes: ['It can get new ones with its credentials. "apps suspend" prevents that too.'],
    parameters: ['ID'],
    example: `apps revoke-tokens ${EXAMPLE_ID} --db platform.sqlite`,
    async run({ platform, by, parameters: [id] }) {
      const application = await platform.applications.revokeTokens(id, { by })
      return {
        json: { application },
        text: `Every access token issued to ${formatName(application)} up to now is refused.`,
      }
    },
  }),
]
