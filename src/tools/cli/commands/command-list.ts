import type { Command } from '../command.js'
import { doctorCommand } from '../doctor/doctor.js'
import { proveCommand } from '../prove/prove.js'
import { restoreCheckCommand } from '../restore-check/restore-check.js'
import { applicationCommands } from './applications.js'
import { platformCommands } from './platform.js'
import { contractCommands } from './contract.js'
import { credentialCommands } from './credentials.js'
import { importCommand } from './import.js'
import { usageCommands } from './usage.js'

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  ...applicationCommands,
  importCommand,
  ...contractCommands,
  ...credentialCommands,
  ...platformCommands,
  ...usageCommands,
  restoreCheckCommand,
  doctorCommand,
  proveCommand,
]
