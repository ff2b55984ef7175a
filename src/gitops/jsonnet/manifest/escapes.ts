// Texts in quotes, as documents want them.

const controls: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const inTexts = /["\\\u0000-\u001f\u007f-\u009f]/g

/** As `std.escapeStringJson` writes them. */
export const quoted = (text: string): string =>
  `"${text.replace(inTexts, (character) => controls[character] ?? codeOf(character))}"`

/** As Go's encoder writes them: `std.manifestJsonEx`. */
export const encoded = (text: string): string => JSON.stringify(text).replace(/[\u2028\u2029]/g, codeOf)
