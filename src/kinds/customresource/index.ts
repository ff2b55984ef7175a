// Custom resources: checking them by the schema of their definition.
export { validateEmbedded } from './embedded.ts'
export { resolveFieldPath } from './field-path.ts'
export { validateListTypes } from './list-types.ts'
export { matchesPattern, patternFault } from './pattern.ts'
export { hasRules, judgeByRules } from './rules.ts'
export { validateBySchema } from './validate.ts'
