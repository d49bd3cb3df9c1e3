/** Hexadecimal text of 128 random bits is estimated at about 120; a minimum of 128 would refuse good secrets. */
const MIN_ESTIMATED_BITS = 96

/** A sequence, a repeated text, or few different characters. A sentence is not recognized: that takes a dictionary. */
export function findWeakness(secret: string, minEstimatedBits = MIN_ESTIMATED_BITS): string | undefined {
  const period = findPeriod(secret)
  if (period === 1) return 'it repeats itself'
  if (isSequence(secret)) return 'it is a sequence of characters, such as abcdef'
  const different = Math.log2(new Set(secret).size)
  if (period * different >= minEstimatedBits) return undefined
  return secret.length * different >= minEstimatedBits ? 'it repeats itself' : 'it has few different characters'
}

/** The length of the shortest text that, repeated, begins with the whole of `text`. */
function findPeriod(text: string): number {
  let period = 1
  while (!text.startsWith(text.slice(period))) period += 1
  return period
}

/** Whether most characters continue the step between the two before them. */
function isSequence(text: string): boolean {
  let continued = 0
  for (let i = 2; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1)
    if (step === text.charCodeAt(i - 1) - text.charCodeAt(i - 2)) continued += 1
  }
  return continued > text.length / 2
}
