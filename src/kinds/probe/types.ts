// What a Probe sends, and what it tells of what it met. (In TypeScript its name is TrafficProbe: Kubernetes has a Probe of
// containers.)

import type { Condition, KubeObject } from '#objects'

export interface ProbeTarget {
  /** A Service, called by its name; with its namespace. */
  readonly service?: string
  readonly namespace?: string
  /** In place of a Service: a name for DNS, a node, or an address. */
  readonly host?: string
  /** A number, or the name of a port of the Service. */
  readonly port?: number | string
}

/** Without any of them: every node. */
export interface ProbeOrigin {
  readonly node?: string
  readonly pod?: string
  /** Of the pod; without a pod: where short names are looked up. */
  readonly namespace?: string
  /** From outside of the cluster, by way of a ready node. */
  readonly outside?: boolean
}

export interface TrafficProbeSpec {
  readonly description?: string
  readonly target: ProbeTarget
  readonly from?: ProbeOrigin
  readonly protocol?: 'HTTP' | 'TCP' | 'UDP'
  readonly intervalSeconds?: number
  readonly timeoutSeconds?: number
  readonly suspend?: boolean
}

export interface ProbeFailure {
  readonly time: string
  readonly reason: string
  readonly message: string
  /** The node that sent it. */
  readonly node: string
  /** The endpoint that was chosen, if it came to that. */
  readonly endpoint?: string
  readonly pod?: string
}

export interface TrafficProbeStatus {
  readonly observedGeneration?: number
  /** `shop/web:80`, `node-1:30080`. */
  readonly target?: string
  /** How many places send requests. */
  readonly origins?: number
  /** Since when is counted. */
  readonly since?: string
  /** Up to when is counted. */
  readonly until?: string
  readonly total?: number
  readonly succeeded?: number
  readonly failed?: number
  /** Failures since the last success. */
  readonly consecutiveFailures?: number
  readonly lastFailure?: ProbeFailure
  /** Failures by reason, the most frequent first. */
  readonly failures?: readonly { readonly reason: string; readonly count: number; readonly lastTime: string }[]
  readonly conditions?: readonly Condition[]
}

export interface TrafficProbe extends KubeObject {
  readonly spec: TrafficProbeSpec
  readonly status?: TrafficProbeStatus
}
