// Field selectors (`metadata.name=a,status.phase!=Running`): text to terms, with the error texts of
// k8s.io/apimachinery/pkg/fields. Which fields a kind lets one select by is the API server's question.

import { SelectorError } from './requirement.ts'

export interface FieldTerm {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** Throws a SelectorError. No text gives no terms, which everything matches. */
export function parseFieldSelector(text: string): readonly FieldTerm[] {
  const terms: FieldTerm[] = []
  for (const part of splitTerms(text)) {
    if (part === '') continue
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part)
    if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`)
    const [, field = '', operator, value = ''] = match
    terms.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) })
  }
  return terms
}

/** Whether every term holds; `read` gives the value of a field, '' where it has none. */
export function matchesFields(terms: readonly FieldTerm[], read: (field: string) => string): boolean {
  return terms.every(({ field, operator, value }) => (read(field) === value) === (operator === '='))
}

/** Parts between commas that no backslash escapes. */
function splitTerms(text: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return [...parts, text.slice(start)]
}

function unescapeValue(text: string): string {
  let out = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? ''
    if (char === '\\') {
      const next = text[++i]
      if (next === undefined) throw new SelectorError('invalid field selector: invalid escape sequence: \\')
      if (!'\\,='.includes(next)) throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`)
      out += next
    } else if (char === ',' || char === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`)
    } else out += char
  }
  return out
}
