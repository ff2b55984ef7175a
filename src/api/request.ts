// The contract between whoever speaks to a Kubernetes API and whoever answers. In-process loops, the HTTP door and
// the client of a real cluster all meet in `ApiHandler`; latency, faults, authorisation and audit are wrappers of it.
// Values that cross it are never changed afterwards, by either side.

import type { AnyObject, Json, KubeObject } from '#objects'
import type { PortForwarding, Session } from './session.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** Which collection: `{group: 'apps', version: 'v1', resource: 'deployments'}`. The core group is `''`. */
export interface ResourceRef {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** Who asks. `userAgent` decides the default field manager (the part before the first `/`), as in Kubernetes. */
export interface Caller {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** What else the one who authenticated him knows. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly userAgent: string
}

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml'

/** A body is either a value that is already decoded (in process) or text that the API server decodes strictly. */
export type RequestBody =
  | { readonly type: 'object'; readonly object: Json | object; readonly contentType?: PatchType }
  | { readonly type: 'text'; readonly text: string; readonly contentType: string }

/** How the answer shall look. In-process callers leave it out: the whole object, without managedFields. */
export interface Representation {
  readonly as: 'object' | 'table' | 'partial'
  readonly managedFields: boolean
  /** Group versions of meta asked for with `as`, for tables and partial objects: `v1` or `v1beta1`. */
  readonly metaVersion?: 'v1' | 'v1beta1'
  /** Of partial objects: whether a list of them was asked for. Absent: whichever fits. */
  readonly ofList?: boolean
  /** `/api` and `/apis` only: asks for one APIGroupDiscoveryList of this version of apidiscovery.k8s.io. */
  readonly aggregatedDiscovery?: 'v2' | 'v2beta1'
  /** `/openapi/v2` only: the form that is asked for; absent where it is none of these. */
  readonly openApiV2?: 'json' | 'protobuf'
}

export interface ApiRequest {
  readonly verb: Verb
  /** Absent for non-resource requests such as discovery, `/version` and `/openapi/v3`; then `path` is set. */
  readonly resource?: ResourceRef
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  /** Of a non-resource request; of a proxy what comes after `/proxy`, empty or beginning with a slash, with its query. */
  readonly path?: string
  /**
   * Query parameters as text, exactly as on the wire (`labelSelector`, `limit`, `dryRun`, …); the server checks them. The
   * words of a `command` are divided by NUL, which none can hold.
   */
  readonly query?: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly accept?: Representation
  readonly caller: Caller
  /** Of a non-resource request: the address and port at which the server was reached. Absent in process. */
  readonly reachedAt?: string
  /** Takes notes for the audit of this request, where it is audited. */
  readonly annotate?: (key: string, value: string) => void
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

export interface WatchEvent<T extends KubeObject = AnyObject> {
  readonly type: WatchEventType
  readonly object: T
}

/** Ends when the server closes the watch, its signal aborts or its time-out is over. Events come in batches. */
export type WatchStream<T extends KubeObject = AnyObject> = AsyncIterable<readonly WatchEvent<T>[]>

/** A list one by one: whoever sends it can stop between two elements, which are made when they are asked for. */
export interface Elements {
  /** All other fields of the list. */
  readonly head: object
  readonly key: 'items' | 'rows'
  each(): Iterable<object>
}

export type ResponseBody =
  /** `object` is whole in either case; reading it makes all elements at once. */
  | { readonly type: 'object'; readonly object: AnyObject; readonly elements?: Elements }
  | { readonly type: 'watch'; readonly events: WatchStream }
  | { readonly type: 'text'; readonly contentType: string; readonly text: string }
  /** A long text or message, of which a part is made when it is sent. */
  | { readonly type: 'parts'; readonly contentType: string; readonly parts: Iterable<string> | Iterable<Uint8Array> }
  | { readonly type: 'bytes'; readonly contentType: string; readonly chunks: AsyncIterable<Uint8Array | string> }
  | { readonly type: 'session'; readonly session: Session }
  | { readonly type: 'ports'; readonly ports: PortForwarding }

export interface ApiResponse {
  /** HTTP status code. From 400 on, the body is a Status object, unless it is what somebody behind a proxy said. */
  readonly status: number
  readonly body: ResponseBody
  /** Texts of `Warning: 299` headers. */
  readonly warnings?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers one request. Never throws for a refused request: that is a Status body with its code. */
export type ApiHandler = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>
