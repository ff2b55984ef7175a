// The Common Expression Language with the functions of Kubernetes.
export { type CelProgram, type Compiled, compileCel } from './compile.ts'
export { toCel } from './values.ts'
