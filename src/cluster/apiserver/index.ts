// The API server: keeps the contract over a store. decode → default → admit → validate → store; watch; apply.
export type { Grant } from './auth/policy/objects.ts'
export { forbiddenFor, judged, questionOf } from './auth/request-access.ts'
export { drawServiceAccountKey } from './auth/service-account-tokens.ts'
export { storeCodec } from './codec.ts'
export { groupResource } from './errors.ts'
export type {
  AccessQuestion,
  ApiServer,
  ApiServerOptions,
  Authorize,
  LogOptions,
  NodeGateway,
} from './options.ts'
export { createApiServer } from './server.ts'
