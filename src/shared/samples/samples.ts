import { type SampleCall, prepareCall, type Sample, type SampleLanguage } from './prepare.js'
import { csharp } from './csharp.js'
import { curl } from './curl.js'
import { go } from './go.js'
import { java } from './java.js'
import { javascript } from './javascript.js'
import { php } from './php.js'
import { python } from './python.js'
import type { SampleWriter } from './sample-writer.js'

const WRITERS: readonly SampleWriter[] = [curl, javascript, python, go, php, java, csharp]

export const SAMPLE_LABELS: readonly string[] = WRITERS.map(({ label }) => label)

export function createSamples(call: SampleCall): Sample[] {
  const prepared = prepareCall(call)
  const provesKey = prepared.credential?.kind === 'accessToken' && call.credentials?.provesKey === true
  return WRITERS.map(({ language, label, writeCall }) => {
    const code = writeCall(prepared)
    return { language, label, code: provesKey ? pointToProof(language, code) : code }
  })
}

const PROOF = 'This API takes an assertion that a private key has signed, in place of the secret (private_key_jwt).'
const PROGRAMS = "The API's first page has programs that get an access token so."

/** Where to find how the access token is got: the command of curl has it already. */
function pointToProof(language: SampleLanguage, code: string): string {
  if (language === 'curl') return code
  const mark = language === 'python' ? '#' : '//'
  const pointer = `${mark} ${PROOF}\n${mark} ${PROGRAMS}\n`
  const opening = '<?php\n'
  return code.startsWith(opening) ? `${opening}${pointer}${code.slice(opening.length)}` : `${pointer}${code}`
}
