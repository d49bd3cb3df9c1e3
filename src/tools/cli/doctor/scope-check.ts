import type { Application } from '../../../index.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { PROGRAM } from '../program.js'
import { findApplications } from './application-list.js'
import { describeCount, nameFirst, note, requireConfig, requireStore, type Check } from './finding.js'

/** Names applications that have an API without any of its scopes, such as those from before it had some. */
export const scopesCheck: Check = {
  name: 'scopes',
  findMissing: (context) => requireConfig(context) ?? requireStore(context),
  async run({ target: { options }, admin }) {
    const findings = Object.entries(options!.apis).map(async ([api, { scopes = {}, defaultScopes = [] }]) => {
      const [scope] = Object.keys(ownMembers(scopes))
      if (scope === undefined || defaultScopes.length > 0) return []
      const hasNone = ({ apis }: Application): boolean => apis[api]?.scopes.length === 0
      const { applications, among } = await findApplications(admin!, api, hasNone)
      if (applications.length === 0) return []
      return note(
        `${describeCount(applications, 'application has', 'applications have')} the API "${api}" without any of its scopes${among}: ${nameFirst(applications.map(({ id }) => id))}. Guards that require scopes answer 403.`,
        `${PROGRAM} apps allow ID ${api} --scope ${scope}. Or say with defaultScopes what such a grant means.`,
      )
    })
    return (await Promise.all(findings)).flat()
  },
}
