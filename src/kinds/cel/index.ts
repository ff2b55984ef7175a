// The Common Expression Language with the functions of Kubernetes.
export { type CelProgram, type Compiled, compileCel } from './compile.ts'
export { declaredKind } from './declared-kind.ts'
export { dynamic, type EnvironmentOptions, environmentOf, withAuthorizer } from './environment.ts'
export {
  type AccessAnswer,
  type AccessQuery,
  authorizerType,
  CelAuthorizer,
  resourceCheckType,
} from './library/authorizer.ts'
export { CelQuantity } from './library/quantities.ts'
export { CelSemver } from './library/semver.ts'
export { loopDepth } from './loops.ts'
export { CelBudget, costExceeded } from './meter.ts'
export { asResource, declaredType, visible } from './schema-types.ts'
export type { Surroundings } from './types/check.ts'
export {
  boolType,
  type CelType,
  dynType,
  isSameType,
  listOf,
  mapOf,
  objectOf,
  optionalOf,
  parseType,
  scalar,
  stringType,
  typeName,
} from './types/type.ts'
export { CelOptional } from './values/optional.ts'
export { escapeField, plainToCel, toCel } from './values.ts'
