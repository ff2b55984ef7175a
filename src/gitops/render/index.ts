// Files to objects: plain YAML and JSON as Kubernetes reads them, kustomizations and charts by the tools themselves. Knows no
// cluster.
export type { Capabilities, Environment, RenderedApplication } from './build-environment.ts'
export { type DirectoryOptions, problemText, type RenderProblem } from './directory.ts'
export { compileGlob, type Glob, GlobFault } from './glob.ts'
export type { Lookups } from './lookups.ts'
export { readManifestFile } from './manifest-file.ts'
export type { RenderedObject } from './plan.ts'
export { commandsOf, type ParameterAnnouncement, type Plugin, readPlugins } from './plugin/definition.ts'
export { generatePathsAnnotation } from './plugin/files.ts'
export { createRenderer, type Rendered, type Renderer, type RenderRequest, type SourceSettings } from './renderer.ts'
export type { SourceType } from './source-type.ts'
