// YAML as `std.parseYaml` reads it: documents stand between lines of `---` alone, and one that stands by itself is no stream.

import { positionAt } from '../yaml-stream.ts'
import { parseYamlDocument, YamlFault } from '../yaml-value.ts'

const separator = /^---[ \t]*\r?$/m

export function readYamlStream(text: string): { readonly documents: readonly unknown[]; readonly isStream: boolean } {
  const parts = text.split(separator)
  const isStream = parts.length > 1
  // What stands before the first line of `---` is a document only if there is something.
  const documents = isStream && parts[0]?.trim() === '' ? parts.slice(1) : parts
  return { documents: documents.map(parsed), isStream }
}

function parsed(text: string): unknown {
  try {
    return parseYamlDocument(text)
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error
    throw new Error(`line ${positionAt(text, error.offset).line}: ${error.message}`)
  }
}
