// ApplicationSets: from generators of parameters to Applications.
export { concernsSet, type RepositoryEvent } from './concerned.ts'
export { GenerationFault, generateOnce } from './generate-once.ts'
export { repositoriesOf } from './generators/git.ts'
export { type ApplicationSetLoopOptions, applicationSetLoop } from './loop.ts'
