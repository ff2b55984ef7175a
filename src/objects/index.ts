// What every object has: metadata, owners, selectors, conditions, quantity, patch, managed fields. Pure, no I/O.
export * from './equality.ts'
export * from './object.ts'
export * from './quantity.ts'
export * from './schema.ts'
export * from './time.ts'
