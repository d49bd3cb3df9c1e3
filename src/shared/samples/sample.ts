import type { PreparedCall } from './prepare.js'

export type SampleLanguage = 'curl' | 'javascript' | 'python' | 'go' | 'php' | 'java' | 'csharp'

/** A program to copy. */
export interface Sample {
  readonly language: SampleLanguage
  /** The language's name, for people. */
  readonly label: string
  readonly code: string
}

/** The code of a body, and the media type that the code does not send by itself. */
export interface WrittenBody {
  readonly code: string
  readonly contentType?: string
}

/** A language that samples are written in. */
export interface SampleWriter {
  readonly language: SampleLanguage
  readonly label: string
  /** The call, and before it the token request, whose access token is kept until it expires. */
  writeCall(call: PreparedCall): string
}
