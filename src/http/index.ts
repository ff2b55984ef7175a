// Doors: the Kubernetes wire API, dashboard API, event stream, webhooks, metrics.

export type { DashboardParts } from './dashboard/ports.ts'
export { type Dashboard, type DashboardOptions, serveDashboard } from './dashboard/server.ts'
export { followKind } from './follow-kind.ts'
export * from './kube/index.ts'
export { applicationMetrics } from './metrics/applications.ts'
