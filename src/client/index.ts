// Speaks the contract: typed verbs over one ApiHandler; an ApiHandler over HTTP for real servers.
export * from './client.ts'
export * from './http-handler.ts'
export { findKindNamed } from './kind-names.ts'
export * from './kubeconfig.ts'
export type * from './options.ts'
export { wireTarget } from './wire-request.ts'
