// Reads a configuration field by field, and notes every fault with the path of its field instead of stopping at the first.
// Fields that nobody asked for are faults too: a misspelt one would be ignored silently.

export interface ConfigFault {
  /** `profiles[0].plugins.filter.enabled[1].name`; empty for the whole. */
  readonly field: string
  readonly message: string
}

type Values = Readonly<Record<string, unknown>>

interface Limits {
  readonly min?: number
  readonly max?: number
}

interface Words {
  readonly allowed?: readonly string[]
  readonly mayBeEmpty?: boolean
}

export class Fields {
  readonly path: string
  readonly #values: Values
  readonly #faults: ConfigFault[]
  readonly #asked = new Set<string>()

  constructor(value: unknown, path: string, faults: ConfigFault[]) {
    this.path = path
    this.#faults = faults
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    this.#values = isObject ? (value as Values) : {}
    if (!isObject) faults.push({ field: path, message: 'must be an object' })
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  fault(name: string, message: string): void {
    this.#faults.push({ field: name === '' ? this.path : this.at(name), message })
  }

  /** Whether the field is there; null counts as absent. */
  has(name: string): boolean {
    return (this.#values[name] ?? undefined) !== undefined
  }

  raw(name: string): unknown {
    this.#asked.add(name)
    return this.#values[name] ?? undefined
  }

  text(name: string, allowed?: readonly string[]): string | undefined {
    const value = this.raw(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value === '') return this.#refuse(name, 'must be a text that is not empty')
    if (allowed !== undefined && !allowed.includes(value))
      return this.#refuse(name, `is "${value}", must be one of ${allowed.join(', ')}`)
    return value
  }

  /** A text that has to be there. */
  required(name: string, allowed?: readonly string[]): string | undefined {
    if (!this.has(name))
      this.fault(name, allowed === undefined ? 'is required' : `is required: ${allowed.join(' or ')}`)
    return this.text(name, allowed)
  }

  whole(name: string, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Limits = {}) {
    const value = this.raw(name)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    const range = Number.isFinite(max) ? `from ${min} to ${max}` : Number.isFinite(min) ? `of at least ${min}` : ''
    return this.#refuse(name, `is ${JSON.stringify(value)}, must be a whole number ${range}`.trimEnd())
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name)
    if (value === undefined || typeof value === 'boolean') return value
    return this.#refuse(name, `is ${JSON.stringify(value)}, must be true or false`)
  }

  texts(name: string, { allowed, mayBeEmpty }: Words = {}): readonly string[] | undefined {
    return this.#list(name)?.flatMap((item, i) => {
      const at = `${name}[${i}]`
      if (typeof item !== 'string' || (item === '' && mayBeEmpty !== true))
        return this.#refuse(at, mayBeEmpty === true ? 'must be a text' : 'must be a text that is not empty') ?? []
      if (allowed !== undefined && !allowed.includes(item))
        return this.#refuse(at, `is "${item}", must be one of ${allowed.join(', ')}`) ?? []
      return [item]
    })
  }

  object(name: string): Fields | undefined {
    const value = this.raw(name)
    return value === undefined ? undefined : new Fields(value, this.at(name), this.#faults)
  }

  objects(name: string): readonly Fields[] | undefined {
    return this.#list(name)?.map((item, i) => new Fields(item, this.at(`${name}[${i}]`), this.#faults))
  }

  /** After all fields have been asked for. */
  end(): void {
    for (const name of Object.keys(this.#values)) if (!this.#asked.has(name)) this.fault(name, 'is not a known field')
  }

  #list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name)
    if (value === undefined) return undefined
    if (Array.isArray(value)) return value
    this.fault(name, 'must be a list')
    return undefined
  }

  #refuse(name: string, message: string): undefined {
    this.fault(name, message)
    return undefined
  }
}
