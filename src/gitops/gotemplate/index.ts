// Go's text templates with sprig's functions, bounded in steps and output: for ApplicationSets and notifications.
export { executeTemplate, type TemplateOptions } from './evaluate.ts'
export { TemplateFault } from './fault.ts'
export { type GoObject, goObject, goObjectOf } from './go-object.ts'
export { normalize, slugify } from './text-functions.ts'
export type { Value } from './values.ts'
