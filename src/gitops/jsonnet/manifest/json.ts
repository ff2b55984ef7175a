// Values as JSON, in the ways in which the language writes it.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { ArrayValue, force, type Lazy, ObjectValue, type Value } from '../values/value.ts'
import { encoded, quoted } from './escapes.ts'
import { exactText, shortText } from './numbers.ts'
import { Output } from './output.ts'

export interface JsonStyle {
  readonly indent: string
  readonly newline: string
  readonly colon: string
  /** Between elements, before the newline. */
  readonly comma: string
  readonly number: (value: number) => string
  readonly text: (value: string) => string
  /** Instead of brackets around nothing. */
  readonly emptyArray?: string
  readonly emptyObject?: string
}

/** What goes into texts: all on one line. */
const inline: JsonStyle = {
  indent: '',
  newline: '',
  colon: ': ',
  comma: ', ',
  number: exactText,
  text: quoted,
  emptyArray: '[ ]',
  emptyObject: '{ }',
}

/** What is handed on to be parsed. */
export const compact: JsonStyle = { indent: '', newline: '', colon: ':', comma: ',', number: shortText, text: encoded }

/** A value as text: `std.toString`. */
export const toText = (value: Value): string => (typeof value === 'string' ? value : toJson(value, inline))

export function toJson(value: Value, style: JsonStyle): string {
  const output = new Output()
  new Writer(output, style).value(value, style.newline)
  return output.toString()
}

class Writer {
  readonly #output: Output
  readonly #style: JsonStyle

  constructor(output: Output, style: JsonStyle) {
    this.#output = output
    this.#style = style
  }

  value(value: Value, newline: string): void {
    if (typeof value === 'string') this.#output.write(this.#style.text(value))
    else if (typeof value === 'number') this.#output.write(this.#style.number(value))
    else if (value === null || typeof value === 'boolean') this.#output.write(String(value))
    else if (value instanceof ArrayValue) this.#nested(() => this.#array(value.elements, newline))
    else if (value instanceof ObjectValue) this.#nested(() => this.#object(value, newline))
    else throw new JsonnetFault("couldn't manifest function as JSON")
  }

  #nested(write: () => void): void {
    budget.enter()
    write()
    budget.leave()
  }

  #array(elements: readonly Lazy[], newline: string): void {
    const { emptyArray, comma, indent } = this.#style
    if (elements.length === 0 && emptyArray !== undefined) {
      this.#output.write(emptyArray)
      return
    }
    const inner = newline + indent
    this.#output.write('[')
    for (const [index, element] of elements.entries()) {
      this.#output.write((index === 0 ? '' : comma) + inner)
      this.value(force(element), inner)
    }
    this.#close(elements.length, newline, ']')
  }

  #object(object: ObjectValue, newline: string): void {
    const { emptyObject, comma, indent, text, colon } = this.#style
    object.check()
    const names = object.names({ hidden: false })
    if (names.length === 0 && emptyObject !== undefined) {
      this.#output.write(emptyObject)
      return
    }
    const inner = newline + indent
    this.#output.write('{')
    for (const [index, name] of names.entries()) {
      this.#output.write(`${index === 0 ? '' : comma}${inner}${text(name)}${colon}`)
      this.value(object.get(name) ?? null, inner)
    }
    this.#close(names.length, newline, '}')
  }

  /** Around nothing the language writes a newline all the same, and another before the bracket. */
  #close(length: number, newline: string, bracket: string): void {
    this.#output.write((length === 0 ? this.#style.newline : '') + newline + bracket)
  }
}
