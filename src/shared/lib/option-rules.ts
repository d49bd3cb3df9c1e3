import type { Limit } from '../contracts/api.js'
import {
  invalidOption,
  readBoolean,
  readDays,
  readGroup,
  readLimit,
  readOptionalFunction,
  readWholeNumber,
} from './option-checks.js'

/** Reads the value of an option, undefined if it was left out. Throws `ConfigurationError` with the fix for a wrong one. */
export type Rule<Value> = (option: string, value: unknown) => Value

/** The values that rules read, by the names of their options. */
type Values<Rules> = { readonly [Name in keyof Rules]: Rules[Name] extends Rule<infer Value> ? Value : never }

/** Reads a group by a table of rules: what is left out as if empty, unknown names refused, the result frozen. */
export function group<const Rules extends Readonly<Record<string, Rule<unknown>>>>(
  option: string,
  rules: Rules,
): (given: unknown) => Values<Rules> {
  const read = members(rules)
  return (given) => read(option, given)
}

/** The rule for a group in another one: `limits: members({ signIn: limit(false) })`. */
export function members<const Rules extends Readonly<Record<string, Rule<unknown>>>>(
  rules: Rules,
): Rule<Values<Rules>> {
  return (option, given) => {
    const values = readGroup(option, given as Record<string, unknown> | undefined, Object.keys(rules))
    const read = Object.entries(rules).map(([name, rule]) => [name, rule(`${option}.${name}`, values[name])])
    return Object.freeze(Object.fromEntries(read)) as Values<Rules>
  }
}

/** Undefined stays undefined; every other value is read by the rule. */
export function optional<Value>(rule: Rule<Value>): Rule<Value | undefined> {
  return (option, value) => (value === undefined ? undefined : rule(option, value))
}

/** Without a default, the option must be given; `optional()` leaves it undefined. */
export function wholeNumber(minimum: number, byDefault?: number, maximum = Infinity): Rule<number> {
  return (option, value) => {
    const number = readWholeNumber(option, value ?? byDefault, minimum)
    if (number <= maximum) return number
    throw invalidOption(option, number, `Write a whole number of at most ${maximum}.`)
  }
}

export function days(byDefault?: number): Rule<number> {
  return (option, value) => readDays(option, value ?? byDefault)
}

export function boolean(byDefault: boolean): Rule<boolean> {
  return (option, value) => readBoolean(option, value ?? byDefault)
}

export function limit(byDefault: Limit | false): Rule<Limit | false> {
  return (option, value) => readLimit(option, (value as Limit | null) ?? byDefault)
}

export function callback<Callback>(option: string, value: unknown): Callback | undefined {
  return readOptionalFunction(option, value as Callback | undefined)
}

/** A text that `isRight` accepts. */
export function textThat(isRight: (text: string) => boolean, fix: string, byDefault?: string): Rule<string> {
  return (option, given) => {
    const value = given ?? byDefault
    if (typeof value === 'string' && isRight(value)) return value
    throw invalidOption(option, value, fix)
  }
}

/** A list of `least` to `most` values, each read by the rule. */
export function list<Value>(
  rule: Rule<Value>,
  { least = 0, most, fix }: { readonly least?: number; readonly most: number; readonly fix: string },
): Rule<readonly Value[]> {
  return (option, values) => {
    if (!Array.isArray(values) || values.length < least || values.length > most)
      throw invalidOption(option, values, fix)
    return Array.from(values as unknown[], (value, index) => rule(`${option}[${index}]`, value))
  }
}

export function textList(option: string, value: unknown = []): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return [...value]
  throw invalidOption(option, value, 'Write a list of strings.')
}

export function oneOf<const Value extends string | number>(choices: readonly Value[], byDefault: Value): Rule<Value> {
  return (option, value) => {
    const chosen = choices.find((each) => each === (value ?? byDefault))
    if (chosen !== undefined) return chosen
    throw invalidOption(option, value, `Choose one of ${choices.join(', ')}.`)
  }
}
