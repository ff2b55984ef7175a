// What parsing a request body gives beside the value: what the value itself no longer shows, but decoding must report.

import type { Json } from '../object.ts'

export interface ParsedText {
  readonly value: Json
  /** JSON: keys that an object repeats, in order of appearance. */
  readonly duplicateKeys: ReadonlyMap<object, readonly string[]>
  /** JSON: whole numbers that were not written as such (`1.0`, `1e3`), which a Go integer field does not take. */
  readonly literals: ReadonlyMap<object, ReadonlyMap<string, string>>
  /** YAML: faults that strict decoding reports and lenient decoding passes over. */
  readonly strictErrors: readonly string[]
}

/** The text is not JSON, or not YAML. The message is what a Kubernetes API server says. */
export class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault'
}
