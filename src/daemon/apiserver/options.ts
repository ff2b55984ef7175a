// What an API server alone is started with, and what it tells when it is ready.

import type { ServerOptions } from '../options.ts'

export interface ApiServerOptions extends ServerOptions {
  /** Absolute path. Absent: a temporary folder, which goes at the end. */
  readonly dataDir?: string
  /** Nothing is left behind: the data directory, which must be new or empty, goes at the end. */
  readonly ephemeral: boolean
  readonly listen: string
  /** 0 takes a free port. */
  readonly apiPort: number
  /** Absolute path; default: in the data directory. */
  readonly kubeconfig?: string
  readonly nodes: number
  readonly loops: LoopChoice
  readonly speed: number
  readonly seed?: number
  readonly instant: boolean
}

/** Which of the cluster's loops run. */
export type LoopChoice = 'none' | 'all' | readonly string[]

export interface ApiServerAddresses {
  /** `https://127.0.0.1:7443` */
  readonly server: string
  /** Path. */
  readonly kubeconfig: string
  /** The administrator's. */
  readonly token: string
}
