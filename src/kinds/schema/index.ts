// Resolved schemas of built-in kinds and of custom resources.
export * from './custom.ts'
export * from './resolve.ts'
