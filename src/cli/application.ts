import { ApplicationError, type Application, type AdminApi } from '../index.js'
import type { Outcome } from './command.js'
import { visible } from './table.js'

/** The application of that id; throws with code `application_not_found` where there is none. */
export async function existing(platform: AdminApi, id: string): Promise<Application> {
  const application = await platform.applications.get(id)
  if (!application) throw new ApplicationError('application_not_found', `There is no application "${id}".`)
  return application
}

/** One in a sentence: its name in quotes, and its id. */
export function nameOf({ name, id }: Application): string {
  return name === '' ? id : `"${visible(name)}" (${id})`
}

/** What a call that changes an application resolves, for both readers. */
export function changed(application: Application, text: string): Outcome {
  return { json: { application }, text }
}
