import type { SampleCall } from '../../src/samples/call.js'

/** What strings of each language could end or replace. */
export const HOSTILE = `it's "q" \`b\` $HOME \${HOME} $(id) #{x} %s {0} \\ \\n \\u0041 </script> <!-- ?> """ ''' @x !! äöü € 😀`
export const HOSTILE_LINES = `{\n  "a": "${HOSTILE.replaceAll('"', "'")}",\n\t"b": """\n\n  "c": \`\n  trailing \n}\\""`
export const CONTROLS = 'a\r\nb\tc\u0001\u007F\u200E\u2028\u202E\uFEFFd'
/** Names of parts and files: libraries write quotation marks and other characters of their headers differently. */
const PART_NAME = "a'b $HOME"
export const FILE_NAME = "it's $HOME.bin"

type Parts = Pick<SampleCall, 'method' | 'headers' | 'body'> & { readonly query: string }

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
  {
    title: 'a text of several lines',
    method: 'PUT',
    query: '',
    headers: [],
    body: { mediaType: 'text/plain', text: HOSTILE_LINES },
  },
  {
    title: 'control characters',
    method: 'PATCH',
    query: '',
    headers: [],
    body: { mediaType: 'text/plain', text: CONTROLS },
  },
  {
    title: 'a form',
    method: 'POST',
    query: '',
    headers: [],
    body: {
      mediaType: 'application/x-www-form-urlencoded',
      fields: [
        { name: HOSTILE, value: HOSTILE },
        { name: 'lines', value: HOSTILE_LINES },
        { name: 'lines', value: '' },
      ],
    },
  },
  {
    title: 'a form with files',
    method: 'POST',
    query: '',
    headers: [],
    body: {
      mediaType: 'multipart/form-data',
      fields: [
        { name: PART_NAME, value: HOSTILE },
        { name: 'lines', value: HOSTILE_LINES },
        { name: 'file', file: { name: FILE_NAME, mediaType: 'image/png' } },
        { name: 'plain', file: { name: FILE_NAME } },
      ],
    },
  },
  {
    title: 'a form with a repeated name',
    method: 'POST',
    query: '',
    headers: [],
    body: {
      mediaType: 'multipart/form-data',
      fields: [
        { name: 'tag', value: 'a' },
        { name: 'tag', value: HOSTILE },
        { name: 'file', file: { name: FILE_NAME } },
      ],
    },
  },
  {
    title: 'a file',
    method: 'PUT',
    query: '',
    headers: [],
    body: { mediaType: 'image/png', file: { name: FILE_NAME } },
  },
]
