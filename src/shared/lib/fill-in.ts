/** The pieces of a text, with values in place of their names in braces: `{count} APIs`. A name without a value stays as it is. */
export function fillIn<Value>(text: string, values: Readonly<Record<string, Value>>): (string | Value)[] {
  return text
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1]
      return name !== undefined && Object.hasOwn(values, name) ? values[name]! : piece
    })
    .filter((piece) => piece !== '')
}

/** A text for one, and one for any other number. */
interface Counted {
  readonly one: string
  readonly other: string
}

/** The text for that number. Its `{count}` is the number, or how that is shown. */
export function fillCount({ one, other }: Counted, number: number, count: number | string = number): string {
  return fillText(number === 1 ? one : other, { count })
}

/** A text with what is wrong in place of its `{detail}`, which is known in English only. */
export function fillDetail(text: string, detail: string | undefined, values: Record<string, number> = {}): string {
  return fillText(text, { ...values, detail: detail === undefined ? '' : ` This one ${detail}.` })
}

export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return fillIn(text, values).join('')
}
