// What callers may say of a request beside what it is about.

import type { PatchType } from '#api'

/** Names one object; `namespace` is left out for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: string
  readonly name: string
}

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** Ask for metadata.managedFields too: they are made when asked for, and left out otherwise. */
  readonly managedFields?: boolean
}

export interface ListOptions extends ReadOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean
  readonly timeoutSeconds?: number
}

export interface WriteOptions extends ReadOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  readonly type: PatchType
  /** Server-side apply only: take over fields that other managers own. */
  readonly force?: boolean
}

export interface DeleteOptions extends ReadOptions {
  readonly dryRun?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}
