/** Prints a line of measurements, which starts with LONG. */
export function printFigures(name: string, figures: Readonly<Record<string, string | number>>): void {
  const parts = Object.entries(figures).map(([label, figure]) => `${label} ${figure}`)
  process.stdout.write(`LONG ${name}: ${parts.join(', ')}\n`)
}

/** Count, median, 99th percentile and maximum of some milliseconds. */
export function describeDelays(delays: readonly number[]): { count: number; p50: string; p99: string; max: string } {
  const sorted = delays.toSorted((a, b) => a - b)
  const at = (share: number): string => `${(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(1)} ms`
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}
