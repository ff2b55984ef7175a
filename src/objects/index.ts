// What every object has: metadata, owners, selectors, conditions, quantity, patch, managed fields. Pure, no I/O.
export * from './object.ts'
export * from './schema.ts'
