// Faults of the cluster: trouble that holds while its object exists.
export { ApiTrouble } from './api-errors.ts'
export { faultsLoop, type NamedWebhookFault } from './decide.ts'
export { createFaultsLoop, faultsUser } from './loop.ts'
