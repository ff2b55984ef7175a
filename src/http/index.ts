// Doors: the Kubernetes wire API, dashboard API, event stream, webhooks, metrics.

export type { DashboardParts } from './dashboard/ports.ts'
export { type Dashboard, type DashboardOptions, serveDashboard } from './dashboard/server.ts'
export { followKind } from './follow-kind.ts'
export { type Authenticate, createAuthenticator, type Identity, type TokenUser } from './kube/authenticate.ts'
export { createKubeDoor, type KubeDoor, type KubeDoorOptions, type RequestRecord } from './kube/door.ts'
export { acknowledgeDurable } from './kube/durable.ts'
export { type KubeServer, serveKube } from './kube/server.ts'
export { createMetrics, type Metrics } from './metrics/metrics.ts'
export {
  clusterNames,
  readServiceAccountKey,
  requestSigner,
  type ServingCredentials,
  servingCredentials,
} from './tls/credentials.ts'
export { readRequest } from './tls/issue.ts'
export { adminToken, staticTokens, TokensError, writeKubeconfig } from './tls/kubeconfig.ts'
