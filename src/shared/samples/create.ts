import { type SampleCall, prepareCall, type Sample, type SampleWriter } from './prepare.js'
import { csharp } from './csharp.js'
import { curl } from './curl.js'
import { go } from './go.js'
import { java } from './java.js'
import { javascript } from './javascript.js'
import { php } from './php.js'
import { python } from './python.js'

const WRITERS: readonly SampleWriter[] = [curl, javascript, python, go, php, java, csharp]

export const SAMPLE_LABELS: readonly string[] = WRITERS.map(({ label }) => label)

/** Programs that make a call, one for each language. They run as they are, with the credentials in environment variables. */
export function createSamples(call: SampleCall): Sample[] {
  const prepared = prepareCall(call)
  return WRITERS.map(({ language, label, writeCall }) => ({ language, label, code: writeCall(prepared) }))
}
