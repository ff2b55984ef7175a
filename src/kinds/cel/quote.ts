// A text in quotes, as cel-go's strings.quote writes it.

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

export const goQuote = (text: string): string => `"${[...text].map((letter) => escapes[letter] ?? letter).join('')}"`
