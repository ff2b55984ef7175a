// What a pod's machine is given: its node, how long things take, what containers do, and the objects that it refers to.

import type { Pod } from '#kinds'
import type { Random } from '#world'
import type { Timings } from '../ground/timings.ts'
import type { NodeRuntime } from '../node/node-runtime.ts'
import type { Silence } from '../node/troubles.ts'
import type { VolumeLookups } from '../volumes/decide.ts'
import type { TroubleOf } from '../volumes/storage.ts'
import type { Workloads } from '../workload/workload.ts'

export interface Surroundings {
  readonly node: NodeRuntime
  readonly timings: Timings
  readonly workloads: Workloads
  readonly objects: VolumeLookups
  /** The handler that a RuntimeClass names; undefined when there is no such class. */
  readonly runtimeHandler: (className: string) => string | undefined
  /** Why storage with one of these names does not answer. */
  readonly storageTrouble: TroubleOf
  /** Why pods get no network. */
  readonly networkTrouble: () => string | undefined
  /** While the runtime does not answer: what calls to it give. */
  readonly runtimeTrouble: () => Silence | undefined
  readonly random: Random
  /** Has the pod with this key looked at. */
  readonly wake: (podKey: string) => void
  /** Called when what a pod answers to connections may have changed. */
  readonly onTraffic?: (pod: Pod) => void
  /** The volumes of claims were mounted. */
  readonly onMounted?: (claimKeys: readonly string[]) => void
}
