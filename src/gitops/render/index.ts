// Files to objects: plain YAML and JSON as Kubernetes reads them. Knows no cluster.
export { type DirectoryOptions, problemText, type RenderProblem } from './directory.ts'
export { compileGlob, GlobFault } from './glob.ts'
export { readManifestFile } from './manifest-file.ts'
export { createRenderer, type Rendered, type RenderedObject, type Renderer, type RenderRequest } from './renderer.ts'
