// What the daemon is started with, and what it tells when it is ready. The command line checks these values.

import type { AdmissionChoice } from '#admission'
import type { AuditPolicy } from '#apiserver'
import type { ClusterAccess, GitopsOptions, RootOptions } from '#gitops'
import type { MachineOptions } from '#machine'

export interface RepositoryOptions extends RootOptions {
  /** Follow uncommitted files of a local repository. */
  readonly worktree: boolean
}

/** Where kustomize (kubectl's) and helm come from, and what they may do. */
export interface ToolOptions {
  /** Tools that are not on PATH are fetched once to here. */
  readonly directory: string
  /** Of the user: PATH, HOME, proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Rendering may load remote bases, charts and values. */
  readonly network: boolean
}

/** Config management plug-ins that may run: what `readPlugins` read. */
export type Plugins = NonNullable<GitopsOptions['plugins']>

/** What everything that serves the Kubernetes API can be told. */
export interface ServerOptions {
  /** Where requests are recorded, and which. */
  readonly audit?: { readonly file: string; readonly policy: AuditPolicy }
  /** Admission plug-ins beside the default ones, those of them that are left out, and those that are configured. */
  readonly admission?: AdmissionChoice
}

export interface DaemonOptions extends ServerOptions {
  /** Absolute path. Holds the kubeconfig, keys, the store's file and mirrors of repositories. */
  readonly dataDir: string
  readonly ephemeral: boolean
  readonly listen: string
  /** 0 takes a free port. */
  readonly port: number
  readonly apiPort: number
  readonly nodes: number
  readonly speed: number
  readonly seed?: number
  readonly kubelet: 'real' | 'standin'
  /** No delays for pulling images and starting containers. */
  readonly instant: boolean
  /** Profiles of the scheduler; default: Kubernetes' own. */
  readonly scheduler?: NonNullable<MachineOptions['scheduler']>
  readonly intervalSeconds: number
  readonly tools: ToolOptions
  readonly plugins?: Plugins
  /** Generators of ApplicationSets may use the AWS keys of the environment. */
  readonly aws?: boolean
  /** Clusters beside the built-in one that applications may deploy to, other than those of Secrets. */
  readonly clusters?: Omit<ClusterAccess, 'connect'>
  /** Absent: only the cluster runs; Applications can be applied by kubectl. */
  readonly repository?: RepositoryOptions
}

export interface DaemonAddresses {
  /** `https://127.0.0.1:7443` */
  readonly api: string
  /** `http://127.0.0.1:7080` */
  readonly dashboard: string
  /** The dashboard's address with a sign-in that works once. */
  readonly signIn: string
  /** Path of the kubeconfig. Its cluster has an extension `homeostat` with `dashboard`, which kubectl ignores. */
  readonly kubeconfig: string
}

/** The daemon cannot start: one line that says what failed and what to do (a busy port, an unwritable folder, …). */
export class DaemonError extends Error {
  override readonly name: string = 'DaemonError'
}

/** What it is started with makes no sense, which only the daemon can tell. */
export class DaemonUsageError extends DaemonError {
  override readonly name = 'DaemonUsageError'
}
