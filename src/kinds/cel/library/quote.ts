// A text in quotes, as cel-go's strings.quote writes it.

import { goEscapes } from '../../field-error.ts'

const escapes: Readonly<Record<string, string>> = { ...goEscapes, '\\': '\\\\', '"': '\\"' }

export const goQuote = (text: string): string => `"${[...text].map((letter) => escapes[letter] ?? letter).join('')}"`
