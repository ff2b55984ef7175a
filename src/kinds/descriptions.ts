// What the built-in types and their fields mean, for `kubectl explain`. Large, so it is loaded when first asked for.

/** Text of a type and of its fields, by the type's full name. */
export type Descriptions = Readonly<Record<string, readonly [about: string, fields: Readonly<Record<string, string>>]>>

let loaded: Promise<Descriptions> | undefined

export function loadDescriptions(): Promise<Descriptions> {
  loaded ??= import('./generated/descriptions.ts').then(
    ({ descriptionsText }) => JSON.parse(descriptionsText) as Descriptions,
  )
  return loaded
}
