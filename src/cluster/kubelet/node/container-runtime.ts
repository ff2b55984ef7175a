// What the container runtime of a node can do, as it tells its kubelet and the kubelet the API: containerd does so since 2.0.
// Of handlers that somebody has added nothing is known, and nothing is claimed. Pure.

import type { NodeStatus } from '#kinds'

export const usualRuntime = 'containerd://2.1.4'

/** The default one has no name where a pod does not ask for one. */
export const usualHandlers: readonly string[] = ['', 'runc']

export class ContainerRuntime {
  readonly version: string
  /** Whether it knows of features at all. */
  readonly isModern: boolean

  constructor(version: string = usualRuntime) {
    this.version = version
    this.isModern = Number(/^containerd:\/\/(\d+)\./.exec(version)?.[1] ?? 2) >= 2
  }

  /** Whether pods of this handler can have read-only mounts that are so all the way down, and users of their own. */
  hasFeatures(handler: string): boolean {
    return this.isModern && usualHandlers.includes(handler)
  }

  /** What the status of its node says of it. */
  told(handlers: Iterable<string>): Pick<NodeStatus, 'features' | 'runtimeHandlers'> {
    if (!this.isModern) return {}
    return {
      features: { supplementalGroupsPolicy: true },
      runtimeHandlers: [...handlers].sort().map((name) => {
        const has = this.hasFeatures(name)
        return { name, features: { recursiveReadOnlyMounts: has, userNamespaces: has } }
      }),
    }
  }
}
