import type { SampleCall } from '../../../src/shared/samples/prepare.js'

/** What strings of each language could end or replace. */
export const HOSTILE = `it's "q" \`b\` $HOME \${HOME} $(id) #{x} %s {0} \\ \\n \\u0041 </script> <!-- ?> """ ''' @x !! äöü € 😀`
export const HOSTILE_LINES = `{\n  "a": "${HOSTILE.replaceAll('"', "'")}",\n\t"b": """\n\n  "c": \`\n  trailing \n}\\""`
export const CONTROLS =
  'a\r\nb\tc\u0001\u007F\u200E\u2028\u202E\uFEFFd\u00AD\u034F\u115F\u200D\u3164\uFE0F\uFFA0\u{E0041}\u{E0100}e'
/** Names of parts and files: libraries write quotation marks and other characters of their headers differently. */
const PART_NAME = "a'b $HOME"
export const FILE_NAME = "it's $HOME.bin"

type Parts = Pick<SampleCall, 'method' | 'headers' | 'body'> & { readonly query: string }

/** Texts that a language may change where it writes them on several lines: at the start, at the end, at indents and at quotes. */
const TEXTS: readonly string[] = [
  'a\nb\n',
  'a\nb\n\n',
  '\na',
  '\n\na\n',
  '\n',
  '\n\n',
  ' \n',
  '  a\n  b\n',
  '  a\n  b',
  'a\n  ',
  'a\n  \n',
  'a \nb  \n',
  'a\n\tb\n',
  'a\t\nb\t',
  '\ta\n\tb\n',
  'a\n   \nb',
  'a\r\nb\r\n',
  'a\rb\r',
  'a\u3000\n\u3000b\n\u3000\n',
  'a\u00A0\n\u00A0\n\u2003b',
  'a\u0085b\n\u000B\n\f\n',
  'a\\\nb\\',
  '"a"\n"b"',
  '"""\n"""',
  `'''\n'''\n`,
  'a"\n',
  `a'\n`,
  'a`\n${b}`\n',
  'EOT\nEOF\nTEXT;\n  TEXT\nBODY\n',
  '#!/bin/sh\n$a @b !c\n',
  '<?xml version="1.0"?>\n<a>\n  <b/>\n</a>\n',
  'id,name\r\n1,"a ""b"""\r\n',
  '{\n  "a": [\n    1\n  ]\n}\n',
  '%s %d {0} {{a}}\n',
  ' ',
  'a ',
  ' a',
]

const plain = (title: string, method: string, body: NonNullable<Parts['body']>) => ({
  title,
  method,
  query: '',
  headers: [],
  body,
})

/** Calls with a body of each kind, for an API that answers with any body. */
export const HOSTILE_CALLS: readonly (Parts & { readonly title: string })[] = [
  {
    title: 'a text of one line, and headers',
    method: 'POST',
    query: `?q=${encodeURIComponent(HOSTILE)}&raw={a}|b[0]'$HOME`,
    headers: [
      ['X-Note', String.raw`it's "q" $HOME ${'${HOME}'} \ #{x}`],
      ['X-Empty', ''],
      ['X-List', 'a'],
      ['x-list', 'b'],
    ],
    body: { mediaType: 'application/json; charset=utf-8', text: JSON.stringify({ text: HOSTILE + CONTROLS }) },
  },
  plain('a text of several lines', 'PUT', { mediaType: 'text/plain', text: HOSTILE_LINES }),
  plain('control characters', 'PATCH', { mediaType: 'text/plain', text: CONTROLS }),
  plain('a form', 'POST', {
    mediaType: 'application/x-www-form-urlencoded',
    fields: [
      { name: HOSTILE, value: HOSTILE },
      { name: 'lines', value: HOSTILE_LINES },
      { name: 'lines', value: '' },
    ],
  }),
  plain('a form with files', 'POST', {
    mediaType: 'multipart/form-data',
    fields: [
      { name: PART_NAME, value: HOSTILE },
      { name: 'lines', value: HOSTILE_LINES },
      { name: 'file', file: { name: FILE_NAME }, mediaType: 'image/png' },
      { name: 'plain', file: { name: FILE_NAME } },
    ],
  }),
  plain('a form with a repeated name', 'POST', {
    mediaType: 'multipart/form-data',
    fields: [
      { name: 'tag', value: 'a' },
      { name: 'tag', value: HOSTILE },
      { name: 'file', file: { name: FILE_NAME } },
    ],
  }),
  plain('a file', 'PUT', { mediaType: 'image/png', file: { name: FILE_NAME } }),
  ...TEXTS.map((text) => plain(`the text ${JSON.stringify(text)}`, 'PUT', { mediaType: 'text/plain', text })),
]
