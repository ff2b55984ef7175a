// What the API server is made of and what it gives: one handler. The node gateway and the authoriser are handed in,
// so that the server knows neither kubelets nor policies.

import type { AdmissionChoice, WebhookNetwork } from '#admission'
import type { ApiHandler, Caller, PortConnection, SessionStreams, Verb } from '#api'
import type { Node, Pod } from '#kinds'
import type { AnyObject } from '#objects'
import type { Store } from '#store'
import type { World } from '#world'
import type { Decision } from './auth/decision.ts'
import type { Grant } from './auth/policy/objects.ts'

/** Other parts of the control plane. */
export type Component = 'controller-manager' | 'scheduler'

export interface LogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly sinceSeconds?: number
  readonly sinceTime?: string
  readonly tailLines?: number
  readonly limitBytes?: number
}

export interface CommandOptions {
  readonly container: string
  /** Absent: what the container itself runs is joined. */
  readonly command?: readonly string[]
  readonly stdin: boolean
  readonly tty: boolean
}

/** An HTTP request to a port of a pod. */
export interface PodRequest {
  readonly port: number
  readonly method: string
  /** Path and query. */
  readonly url: string
}

export interface PodAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** What only a node can answer. Machines hand in the kubelet's side; without it these requests fail as on a dead node. */
export interface NodeGateway {
  /** Throws what whoever dials the kubelet of a node is told, where it does not answer. */
  reach?(node: string): void
  /** The log of one container, in chunks; ends with the log, or never while it is followed. Throws what kubectl shall see. */
  logs(pod: AnyObject, options: LogOptions, signal: AbortSignal): AsyncIterable<string>
  /** Runs a command in a container; answers its exit code. Throws what kubectl shall see. */
  run?(pod: AnyObject, options: CommandOptions, streams: SessionStreams, signal: AbortSignal): Promise<number>
  /** Carries one connection to a port of a pod to its end. Throws what kubectl shall see. */
  connect?(pod: AnyObject, port: number, connection: PortConnection, signal: AbortSignal): Promise<void>
  /** Has a pod answer one HTTP request. Throws what whoever dials its address is told. */
  request?(pod: AnyObject, request: PodRequest, signal: AbortSignal): Promise<PodAnswer>
  /** Which rules decide what the simulated containers of a pod do, as JSON (`nodes/NAME/proxy?simulation=NAMESPACE/POD`). */
  simulation?(pod: AnyObject): unknown
  /** The same of the node itself (`nodes/NAME/proxy?simulation=`). */
  nodeSimulation?(name: string): unknown
}

/** What was measured of a pod's containers, or of a node (then one entry with the node's name). */
export interface ResourceSample {
  readonly at: number
  readonly windowMs: number
  readonly containers: readonly {
    readonly name: string
    readonly usage: { readonly milliCpu: number; readonly memoryBytes: number }
  }[]
}

/** Where the metrics API (metrics.k8s.io) has its numbers from. */
export interface MetricsSource {
  node(node: Node): ResourceSample | undefined
  pod(pod: Pod): ResourceSample | undefined
}

export interface AccessQuestion {
  readonly caller: Pick<Caller, 'user' | 'groups'>
  readonly verb: Verb | string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly path?: string
  /** Of lists and watches, as sent. */
  readonly fieldSelector?: string
}

/** Says whether something may be done, and by what or why not. */
export type Decide = (question: AccessQuestion) => Decision

type TokenUser = Omit<Caller, 'userAgent'>

export interface ApiServerOptions {
  readonly world: World
  readonly store: Store
  readonly serviceCidr?: string
  readonly nodePortRange?: readonly [first: number, last: number]
  readonly nodeGateway?: NodeGateway
  /** Without one, metrics.k8s.io is not served. */
  readonly metrics?: MetricsSource
  /** What answers webhooks that are called through Services; without one nothing listens in any pod. */
  readonly webhookNetwork?: WebhookNetwork
  /** Whether a part of the control plane runs in this process; without one, none does. */
  readonly isRunning?: (component: Component) => boolean
  /** Which admission plug-ins work, if not those of a kube-apiserver without options. */
  readonly admission?: AdmissionChoice
  /** Whose a bearer token is that the door knows beside those of service accounts; undefined: nobody's. */
  readonly tokenUser?: (token: string) => TokenUser | undefined
  /** Default: RBAC, by the roles and bindings in the store. */
  readonly decide?: Decide
  /** What parties from outside Kubernetes may do that run with this cluster; made at start where it is missing. */
  readonly grants?: readonly Grant[]
  /** Whether the definitions that every cluster of ours has (Application …) are made at start; default true. */
  readonly installDefinitions?: boolean
  /**
   * PEM of the private key that service account tokens are signed with, or where it comes from when it is first needed;
   * without one, tokens end with the server.
   */
  readonly serviceAccountKey?: string | (() => string)
}

export interface ApiServer {
  readonly handle: ApiHandler
  /** Who a service account token for this server stands for; undefined when it is not good. */
  verifyToken(token: string): TokenUser | undefined
  /** Whether a request from outside may be carried out. */
  readonly decide: Decide
  /** Stops timers and ends watches. */
  close(): void
}
