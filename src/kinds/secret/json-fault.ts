// The fault of a text that should be a JSON object, in the words of Go's decoder.

export function jsonObjectFault(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxFault(text)
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
}

/** Walks the text as Go's scanner does, and says where it stops. */
function syntaxFault(text: string): string {
  const scanner = { text, at: 0 }
  const fault = scanValue(scanner, 'looking for beginning of value')
  if (fault !== undefined) return fault
  skipSpace(scanner)
  return scanner.at < text.length ? unexpected(scanner, 'after top-level value') : 'unexpected end of JSON input'
}

interface Scanner {
  readonly text: string
  at: number
}

const skipSpace = (scanner: Scanner): void => {
  while (/[ \t\r\n]/.test(scanner.text[scanner.at] ?? '')) scanner.at++
}

function unexpected(scanner: Scanner, where: string): string {
  const char = scanner.text[scanner.at]
  if (char === undefined) return 'unexpected end of JSON input'
  const shown = char === "'" ? "'\\''" : char === '"' ? `'"'` : `'${char}'`
  return `invalid character ${shown} ${where}`
}

function scanValue(scanner: Scanner, where: string): string | undefined {
  skipSpace(scanner)
  const char = scanner.text[scanner.at]
  if (char === '{') return scanObject(scanner)
  if (char === '[') return scanArray(scanner)
  if (char === '"') return scanString(scanner)
  const word = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)/.exec(scanner.text.slice(scanner.at))
  if (word === null) return unexpected(scanner, where)
  scanner.at += word[0].length
  return undefined
}

function scanString(scanner: Scanner): string | undefined {
  const match = /^"(?:[^"\\]|\\.)*"/s.exec(scanner.text.slice(scanner.at))
  if (match === null) return 'unexpected end of JSON input'
  scanner.at += match[0].length
  return undefined
}

function scanObject(scanner: Scanner): string | undefined {
  scanner.at++
  skipSpace(scanner)
  if (scanner.text[scanner.at] === '}') {
    scanner.at++
    return undefined
  }
  for (;;) {
    skipSpace(scanner)
    if (scanner.text[scanner.at] !== '"') return unexpected(scanner, 'looking for beginning of object key string')
    const key = scanString(scanner)
    if (key !== undefined) return key
    skipSpace(scanner)
    if (scanner.text[scanner.at] !== ':') return unexpected(scanner, 'after object key')
    scanner.at++
    const value = scanValue(scanner, 'looking for beginning of value')
    if (value !== undefined) return value
    skipSpace(scanner)
    const next = scanner.text[scanner.at]
    if (next !== ',' && next !== '}') return unexpected(scanner, 'after object key:value pair')
    scanner.at++
    if (next === '}') return undefined
  }
}

function scanArray(scanner: Scanner): string | undefined {
  scanner.at++
  skipSpace(scanner)
  if (scanner.text[scanner.at] === ']') {
    scanner.at++
    return undefined
  }
  for (;;) {
    const value = scanValue(scanner, 'looking for beginning of value')
    if (value !== undefined) return value
    skipSpace(scanner)
    const next = scanner.text[scanner.at]
    if (next !== ',' && next !== ']') return unexpected(scanner, 'after array element')
    scanner.at++
    if (next === ']') return undefined
  }
}
