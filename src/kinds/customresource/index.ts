// Custom resources: checking them by the schema of their definition.
export { isPattern, matchesPattern } from './pattern.ts'
export { hasRules, validateRules } from './rules.ts'
export { validateBySchema } from './validate.ts'
