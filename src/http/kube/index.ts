// What a Kubernetes API server needs to be reached: its door, certificates, tokens and kubeconfig. A face of its own, since
// whoever wants no dashboard need not wait for it to be loaded.

export { createMetrics, type Metrics } from '../metrics/metrics.ts'
export {
  clusterNames,
  readServiceAccountKey,
  requestSigner,
  type ServingCredentials,
  servingCredentials,
} from '../tls/credentials.ts'
export { adminToken, isOwnKubeconfig, staticTokens, TokensError, writeKubeconfig } from '../tls/kubeconfig.ts'
export { readRequest } from '../tls/sign-request.ts'
export { type Authenticate, createAuthenticator, type Identity, type TokenUser, tokenUser } from './authenticate.ts'
export { createKubeDoor, type KubeDoor } from './door.ts'
export type { KubeDoorOptions, RequestRecord } from './door-options.ts'
export { acknowledgeDurable } from './durable.ts'
export { type KubeServer, serveKube } from './server.ts'
