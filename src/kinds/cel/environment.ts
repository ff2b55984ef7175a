// What an expression can name: its variables and their types, and the functions there are for it.

import { authorizerType, resourceCheckType } from './library/authorizer.ts'
import { newFunctions, storedFunctions } from './library/index.ts'
import type { MacroName } from './syntax/macros.ts'
import type { Surroundings } from './types/check.ts'
import { type CelType, dynType, parseType, scalar, typeName } from './types/type.ts'
import { CelTypeValue } from './values/typed.ts'

/** Types that expressions can name, as in `type(x) == string`. */
const namedTypes: readonly CelType[] = [
  ...(['bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint'] as const).map(scalar),
  ...['list(A)', 'map(A, B)', 'type', 'optional_type(V)', 'net.IP', 'net.CIDR'].map(parseType),
  ...['Quantity', 'URL', 'Semver', 'NamedFormat'].map((name) => parseType(`kubernetes.${name}`)),
]

const bare = (type: CelType): string => typeName(type).replace(/\(.*$/, '')

export const typeConstants: ReadonlyMap<string, unknown> = new Map(
  namedTypes.map((type) => [bare(type), new CelTypeValue(bare(type))]),
)

const typeVariables: readonly (readonly [string, CelType])[] = namedTypes.map((type) => [
  bare(type),
  { kind: 'type', of: type },
])

export interface EnvironmentOptions {
  /** The expression is stored already: it may use what is too new for others. */
  readonly isStored?: boolean
  /** `cel.bind(name, value, …)` gives values names. */
  readonly hasBindings?: boolean
  /** Lists may be written with elements of several types. Kubernetes does not allow it. */
  readonly isMixed?: boolean
}

/** `authorizer` has its own type, whatever is said of it. */
export function environmentOf(
  variables: Readonly<Record<string, CelType>>,
  { isStored = false, hasBindings = false, isMixed = false }: EnvironmentOptions = {},
): Surroundings {
  return {
    functions: isStored ? storedFunctions : newFunctions,
    variables: new Map([...typeVariables, ...Object.entries(variables)]),
    macros: new Set<MacroName>([
      ...(hasBindings ? (['bind'] as const) : []),
      ...(isStored ? (['sortBy'] as const) : []),
    ]),
    isMixed,
  }
}

/** Variables of which nothing is known before they have values. */
export const dynamic = (...names: string[]): Readonly<Record<string, CelType>> =>
  Object.fromEntries(names.map((name) => [name, dynType]))

/** What asks for access; with it comes the question that the request itself is. */
export const withAuthorizer: Readonly<Record<string, CelType>> = {
  authorizer: authorizerType,
  'authorizer.requestResource': resourceCheckType,
}
