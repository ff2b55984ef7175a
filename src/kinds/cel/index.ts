// The Common Expression Language with the functions of Kubernetes.
export { type AccessAnswer, type AccessQuery, CelAuthorizer } from './authorizer.ts'
export { type CelProgram, type Compiled, compileCel, failureAt } from './compile.ts'
export { CelQuantity } from './library.ts'
export { CelSemver } from './semver.ts'
export { escapeField, toCel } from './values.ts'
