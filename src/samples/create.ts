import type { SampleCall, SampleTokenRequest } from './call.js'
import { curl } from './curl.js'
import { encodeUrl } from './encode-url.js'
import type { Sample, SampleWriter } from './sample.js'

const WRITERS: readonly SampleWriter[] = [curl]

/** Programs that make a call, one for each language. They run as they are, with the credentials in environment variables. */
export function createSamples(call: SampleCall): Sample[] {
  const encoded = { ...call, url: encodeUrl(call.url) }
  return WRITERS.map((writer) => createSample(writer, writer.writeCall(encoded)))
}

/** Programs that request an access token and print it. */
export function createTokenSamples(request: SampleTokenRequest): Sample[] {
  return WRITERS.map((writer) => createSample(writer, writer.writeTokenRequest(request)))
}

function createSample({ language, label }: SampleWriter, code: string): Sample {
  return { language, label, code }
}
