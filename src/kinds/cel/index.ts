// The Common Expression Language with the functions of Kubernetes.
export { type AccessAnswer, type AccessQuery, CelAuthorizer } from './authorizer.ts'
export { type CelProgram, type Compiled, compileCel, failureAt } from './compile.ts'
export { CelBudget, costExceeded } from './cost.ts'
export { CelQuantity } from './library.ts'
export { CelSemver } from './semver.ts'
export { escapeField, plainToCel, toCel } from './values.ts'
