import { applicationOperations } from './applications.js'
import { credentialOperations } from './credentials.js'
import type { Operation } from './operation.js'
import { platformOperations } from './platform.js'

/** Every operation of operators, in the order in which documents list them. */
export const OPERATIONS: readonly Operation[] = [
  ...applicationOperations,
  ...credentialOperations,
  ...platformOperations,
]
