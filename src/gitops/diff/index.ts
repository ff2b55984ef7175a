// Desired against live: pairing by tracking, comparison, fields and who changed them. Pure, no I/O.
export * from './compare.ts'
export { type Difference, findDifferences } from './differences.ts'
export { type FieldPath, pathPointer, pathText } from './field-path.ts'
export { type IgnoreRule, jqExpressionsOf, pointersOf, rulesFor, type ValuePath } from './ignore.ts'
export { normalise } from './normalise.ts'
export * from './ownership.ts'
export * from './resource-key.ts'
export { isSecret, maskSecrets } from './secrets.ts'
