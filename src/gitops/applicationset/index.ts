// ApplicationSets: from generators of parameters to Applications.
export { repositoriesOf } from './generators/git.ts'
export { type ApplicationSetLoopOptions, applicationSetLoop } from './loop.ts'
