// Some faults print a whole value of Kubernetes' internal types, which have no JSON names: every field under its Go name,
// in the order of the type, absent ones as null or zero. A layout says so in one line: `Name="" Port=0 TargetPort:target`.

export interface GoStruct {
  readonly fields: readonly {
    readonly go: string
    readonly json: string
    readonly zero: unknown
    readonly type?: GoStruct
  }[]
}

/** `Name` is null when absent, `Name=zero` has that zero value, `Name:json` stands under another name in JSON. */
export function goStruct(layout: string, types: Readonly<Record<string, GoStruct>> = {}): GoStruct {
  return {
    fields: layout.split(' ').map((word) => {
      const [name = '', zero] = word.split('=')
      const [go = '', json] = name.split(':')
      const type = types[go]
      return {
        go,
        json: json ?? `${go.charAt(0).toLowerCase()}${go.slice(1)}`,
        zero: zero === undefined ? null : JSON.parse(zero),
        ...(type === undefined ? {} : { type }),
      }
    }),
  }
}

export function asGoStruct(struct: GoStruct, value: object): object {
  const source = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(struct.fields.map(({ go, json, zero, type }) => [go, printed(source[json], zero, type)]))
}

/** A map as Go's encoder writes it: by key. */
export function goMap<T>(map: Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> | null {
  return map === undefined ? null : Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function printed(value: unknown, zero: unknown, type: GoStruct | undefined): unknown {
  if (value === undefined || value === null) return zero
  if (type === undefined || typeof value !== 'object') return value
  return Array.isArray(value) ? value.map((element) => asGoStruct(type, element)) : asGoStruct(type, value)
}
