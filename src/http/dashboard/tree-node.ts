// One node of an application's resource tree, as Argo CD's ResourceNode has it.

export interface NodeRef {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid?: string
}

export interface NetworkingInfo {
  readonly labels?: Readonly<Record<string, string>>
  readonly targetLabels?: Readonly<Record<string, string>>
  readonly targetRefs?: readonly NodeRef[]
  /** Where it can be reached: `{ip}` or `{hostname}`. */
  readonly ingress?: readonly object[]
  readonly externalURLs?: readonly string[]
}

export interface TreeNode extends NodeRef {
  readonly networkingInfo?: NetworkingInfo
  readonly parentRefs?: readonly NodeRef[]
  readonly info?: readonly { readonly name: string; readonly value: string }[]
  readonly images?: readonly string[]
  readonly health?: { readonly status: string; readonly message?: string }
  readonly resourceVersion?: string
  readonly createdAt?: string
}
