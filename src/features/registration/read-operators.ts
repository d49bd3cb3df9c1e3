import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeValue } from '../../shared/lib/describe-value.js'
import { findAddressProblem, readEmailAddress } from '../../shared/lib/email-address.js'
import { invalidOption } from '../../shared/lib/option-checks.js'

/** Each waiting registration is sent to all of them. */
const MAX_OPERATORS = 10
const FIX = `List 1 to ${MAX_OPERATORS} e-mail addresses, such as ['apis@example.com'], or leave it out.`

/** Reads the option `operators`. Links in their e-mails name the console's address, so that is required too. */
export function readOperators(operators: unknown, developersUrl: string | undefined): readonly string[] {
  if (operators === undefined) return []
  if (!Array.isArray(operators) || operators.length === 0 || operators.length > MAX_OPERATORS) {
    throw invalidOption('registration.operators', operators, FIX)
  }
  const read = Array.from(operators, readOperator)
  if (developersUrl === undefined) {
    throw new ConfigurationError({
      option: 'developersUrl',
      problem: 'is missing',
      fix: 'With operators, e-mails link to {developersUrl}/register/decide.',
    })
  }
  return [...new Set(read)]
}

function readOperator(operator: unknown, index: number): string {
  const address = readEmailAddress(operator)
  if (address !== undefined) return address.toLowerCase()
  const problem = findAddressProblem(operator)
  throw new ConfigurationError({
    option: `registration.operators[${index}]`,
    problem: `is ${describeValue(operator)}${problem === undefined ? '' : `, which ${problem}`}`,
    fix: 'Write one plain e-mail address, such as apis@example.com.',
  })
}
