// What users say in argocd-cm of single kinds: their own health, their own actions. Read and found here, run elsewhere. Pure.
export {
  type ActionDefinition,
  type ActionScripts,
  type Customization,
  type Customizations,
  type ExpressionStatus,
  type HealthExpression,
  type HealthExpressions,
  type HealthScript,
  noCustomizations,
} from './customization.ts'
export { customActions, type OwnHealthRule, ownHealthRule } from './find.ts'
export { readCustomizations } from './read.ts'
