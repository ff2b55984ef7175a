// Object to health, and objects to the health of an application. Pure; Argo CD's words and rules.
export * from './application.ts'
export { healthOf } from './health.ts'
export { createHealth, type Health } from './own/health.ts'
export { healthWithoutOperators } from './unattended.ts'
export { type HealthStatus, isWorse, type Proof, type Verdict } from './verdict.ts'
