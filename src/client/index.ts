// Speaks the contract: typed verbs over one ApiHandler.
export * from './client.ts'
