// Jsonnet: the language and its standard library. Pure: files come in, documents or a fault go out.
export { documentsOf, type Program, type Target, type Variable } from './evaluate.ts'
export { type Frame, JsonnetFault } from './fault.ts'
export { type Import, importsOf } from './syntax/imports.ts'
export { placeText } from './syntax/source-text.ts'
