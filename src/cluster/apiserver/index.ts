// The API server: keeps the contract over a store. decode → default → admit → validate → store; watch; apply.
export {
  type Audit,
  type AuditFacts,
  type AuditTrail,
  createAudit,
} from './audit/audit.ts'
export { annotateDecision, audited, tellBody } from './audit/loops.ts'
export { type AuditPolicy, defaultAuditPolicy } from './audit/policy.ts'
export { readAuditPolicy } from './audit/read-policy.ts'
export type { Grant } from './auth/policy/objects.ts'
export { forbiddenFor, judged, questionOf, withoutMarkup } from './auth/request-access.ts'
export { drawServiceAccountKey } from './auth/service-account-tokens.ts'
export { storeCodec } from './codec.ts'
export { groupResource } from './errors.ts'
export type {
  AccessQuestion,
  ApiServer,
  ApiServerOptions,
  Decide,
  LogOptions,
  NodeGateway,
} from './options.ts'
export { createApiServer } from './server.ts'
