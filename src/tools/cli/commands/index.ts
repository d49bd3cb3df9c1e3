import type { Command } from '../command.js'
import { doctorCommand } from '../doctor/doctor.js'
import { proveCommand } from '../prove/prove.js'
import { restoreCheckCommand } from '../restore-check/restore-check.js'
import { accessCommands, applicationCommands, newApplicationCommands, contactCommands } from './applications.js'
import { auditCommand } from './audit.js'
import { contractCommands } from './contract.js'
import { credentialCommands } from './credentials.js'
import { emailCommands } from './email-commands.js'
import { importCommand } from './import.js'
import { planCommand, quotasCommand } from './plans.js'
import { portalCommands } from './portal.js'
import { signingKeyCommands } from './signing-keys.js'
import { usageCommands } from './usage.js'

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  ...newApplicationCommands,
  importCommand,
  ...applicationCommands,
  planCommand,
  quotasCommand,
  ...accessCommands,
  ...contractCommands,
  ...contactCommands,
  ...credentialCommands,
  ...signingKeyCommands,
  ...emailCommands,
  ...portalCommands,
  ...usageCommands,
  auditCommand,
  restoreCheckCommand,
  doctorCommand,
  proveCommand,
]
