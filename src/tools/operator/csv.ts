/**
 * Rows as CSV (RFC 4180), with a byte order mark, by which spreadsheets know UTF-8. A cell that a spreadsheet would read as a formula
 * begins with an apostrophe.
 */
export function formatCsv(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return `${BYTE_ORDER_MARK}${rows.map((cells) => cells.map(formatCell).join(',')).join('\r\n')}\r\n`
}

const BYTE_ORDER_MARK = String.fromCodePoint(0xfeff)

function formatCell(value: string | number | undefined): string {
  const text = String(value ?? '')
  const isFormula = typeof value === 'string' && /^\s*[=+\-@|%\t\r]/.test(text)
  // Where the list separator is another than the comma, a spreadsheet begins a cell after it.
  const safe = text.replaceAll(/(?<=;)(?=\s*[=+\-@|%])/g, "'")
  return `"${isFormula ? "'" : ''}${safe.replaceAll('"', '""')}"`
}
