// What the built-in types and their fields mean, and the parameters of requests, for `kubectl explain` and OpenAPI. Large,
// so it is loaded when first asked for.

/** Changes with the texts, so that clients do not keep older ones. */
export { documentationDigest } from './generated/digest.ts'

/** Text of a type and of its fields, by the type's full name. */
export type Descriptions = Readonly<Record<string, readonly [about: string, fields: Readonly<Record<string, string>>]>>

/** Query parameters by the kind of options that they make up: `ListOptions`, `PodExecOptions`. */
export type ParameterTexts = Readonly<
  Record<string, Readonly<Record<string, readonly [type: 'string' | 'boolean' | 'integer', about: string]>>>
>

export interface Documentation {
  readonly types: Descriptions
  readonly parameters: ParameterTexts
}

let loaded: Promise<Documentation> | undefined

export function loadDocumentation(): Promise<Documentation> {
  loaded ??= import('./generated/descriptions.ts').then(({ descriptionsText, parametersText }) => ({
    types: JSON.parse(descriptionsText) as Descriptions,
    parameters: JSON.parse(parametersText) as ParameterTexts,
  }))
  return loaded
}
