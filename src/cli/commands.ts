import { accessCommands } from './access-commands.js'
import { applicationsCommands } from './applications-commands.js'
import { auditCommand } from './audit-command.js'
import type { Command } from './command.js'
import { credentialsCommands } from './credentials-commands.js'
import { doctorCommand } from './doctor/doctor-command.js'
import { keysCommands } from './signing-keys-commands.js'
import { mailCommands } from './emails-commands.js'
import { registrationCommands } from './registration-commands.js'

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  ...registrationCommands,
  ...applicationsCommands,
  ...accessCommands,
  ...credentialsCommands,
  ...keysCommands,
  ...mailCommands,
  auditCommand,
  doctorCommand,
]
