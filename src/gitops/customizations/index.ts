// What users say in argocd-cm of single kinds: their own health, their own actions. Read and found here, run elsewhere. Pure.
export type {
  ActionDefinition,
  ActionScripts,
  CompareOptions,
  Customization,
  Customizations,
  ExpressionStatus,
  HealthExpression,
  HealthExpressions,
  HealthScript,
} from './customization.ts'
export { customActions, ignoredForAll, type OwnHealthRule, ownHealthRule } from './find.ts'
export { noCustomizations, readCustomizations } from './read.ts'
