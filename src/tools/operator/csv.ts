/**
 * Rows below the names of their columns as CSV (RFC 4180), with a byte order mark, by which spreadsheets know UTF-8. A cell that a spreadsheet would read as a formula
 * begins with an apostrophe.
 */
export function formatCsv(head: string, rows: readonly (readonly Cell[])[]): string {
  return `${BYTE_ORDER_MARK}${[head.split(' '), ...rows].map((cells) => cells.map(formatCell).join(',')).join('\r\n')}\r\n`
}

type Cell = string | number | object | undefined

const BYTE_ORDER_MARK = String.fromCodePoint(0xfeff)

function formatCell(value: Cell): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
  const isFormula = typeof value === 'string' && /^\s*[=+\-@|%\t\r]/.test(text)
  // Where the list separator is another than the comma, a spreadsheet begins a cell after it.
  const safe = text.replaceAll(/(?<=;)(?=\s*[=+\-@|%])/g, "'")
  return `"${isFormula ? "'" : ''}${safe.replaceAll('"', '""')}"`
}
