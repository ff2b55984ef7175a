// A file as text, and its split into documents. Kubernetes splits by lines that begin with `---` before it parses
// anything, so a separator inside a quoted text ends the document, and only a comment may follow it on its line.

export interface DocumentText {
  readonly text: string
  /** Lines of the file before it. */
  readonly line: number
  /** Instead of a text: why it cannot be read. */
  readonly problem?: string
}

export class DecodeFault extends Error {
  override readonly name = 'DecodeFault'
}

/** UTF-8, or UTF-16 when a byte order mark says so. Throws DecodeFault. */
export function decodeText(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new DecodeFault(`the file is not valid ${encoding.toUpperCase()} text`)
  }
}

/** The documents of a YAML stream, without those that hold nothing. */
export function splitDocuments(text: string): readonly DocumentText[] {
  const documents: DocumentText[] = []
  let lines: string[] = []
  let start = 0
  const close = (next: number): void => {
    const joined = lines.join('\n').replace(/^\uFEFF/, '')
    if (!isBlank(joined)) documents.push({ text: joined, line: start })
    lines = []
    start = next
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('---') && !line.startsWith('\uFEFF---')) {
      lines.push(line)
      continue
    }
    const rest = line.replace(/^\uFEFF?---/, '').trim()
    close(index + 1)
    if (rest !== '' && !rest.startsWith('#')) {
      documents.push({ text: '', line: index, problem: `invalid Yaml document separator: ${rest}` })
    }
  }
  close(0)
  return documents
}

const isBlank = (text: string): boolean => text.split('\n').every((line) => /^\s*(#|$)/.test(line))

/** Line and column (from 1) of an offset. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}
