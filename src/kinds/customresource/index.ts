// Custom resources: checking them by the schema of their definition.
export { isPattern, matchesPattern } from './pattern.ts'
export { validateBySchema } from './validate.ts'
