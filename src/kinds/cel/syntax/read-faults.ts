// What is told of an expression that was written wrongly. One fault is told until something fits again, and there is an end to
// telling and to recovering.

import type { Fault } from './fault.ts'
import { type Token, tokenNames } from './tokens.ts'

/** Nothing more is read. */
export class GivenUp {}

const maxRecoveries = 30
const maxFaults = 100

export class ReadFaults {
  readonly #faults: Fault[]
  #told = 0
  #recoveries = 0
  #isRecovering = false

  constructor(faults: Fault[]) {
    this.#faults = faults
  }

  get isRecovering(): boolean {
    return this.#isRecovering
  }

  fits(): void {
    this.#isRecovering = false
  }

  tell({ at }: Token, text: string): void {
    if (this.#isRecovering) return
    this.#isRecovering = true
    this.#told += 1
    const isTooMany = this.#told > maxFaults
    this.#faults.push({ at, text: `Syntax error: ${isTooMany ? `More than ${maxFaults} syntax errors` : text}` })
    if (isTooMany) throw new GivenUp()
  }

  countRecovery({ at }: Token): void {
    this.#recoveries += 1
    if (this.#recoveries <= maxRecoveries) return
    const text = `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`
    this.#faults.push({ at, text })
    throw new GivenUp()
  }

  giveUp(text: string): never {
    this.#faults.push({ at: undefined, text })
    throw new GivenUp()
  }
}

export const shown = ({ text }: Token): string =>
  `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`

export function noViable(input: string): string {
  const word = /^\.(true|false|null)$/.exec(input)?.[1]
  const text = input.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return word === undefined
    ? `no viable alternative at input '${text}'`
    : `mismatched input '${word}' expecting IDENTIFIER`
}

export function setText(types: ReadonlySet<number>): string {
  const names = [...types].sort((a, b) => a - b).map((type) => tokenNames[type])
  return names.length === 1 ? String(names[0]) : `{${names.join(', ')}}`
}
