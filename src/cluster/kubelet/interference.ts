// What others do to the nodes: kill processes, stop and start kubelets, take from them what they stand on.

import type { Pod } from '#kinds'
import { objectKey } from '#objects'
import { sendSignal } from './ending/ending.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { NetworkTrouble, NodeShortage, RuntimeTrouble, StorageOutage } from './node/troubles.ts'
import type { PodRun } from './pod/pod-run.ts'
import type { Outage } from './profiles/profiled-workloads.ts'

export interface Interference {
  /** Sends a signal to the first process of a running container; false when it does not run. */
  kill(pod: Pod, container: string, signal: number): boolean
  /** Registries that refuse pulls from now on; the list replaces the one before. */
  setOutages(outages: readonly Outage[]): void
  /** Storage that does not answer from now on; the list replaces the one before. */
  setStorageOutages(outages: readonly StorageOutage[]): void
  /** Nodes on which something else takes the room from now on; the list replaces the one before. */
  setShortages(shortages: readonly NodeShortage[]): void
  /** Nodes whose runtime does not answer; the list replaces the one before. */
  setRuntimes(runtimes: readonly RuntimeTrouble[]): void
  /** Nodes whose pods get no network; the list replaces the one before. Seen when a node looks at its runtime next. */
  setNetworks(networks: readonly NetworkTrouble[]): void
  /** Stops the kubelet of a node, as when its process dies: its containers go on, nobody reports. */
  stopNode(name: string): void
  startNode(name: string): void
  /** The machine was started anew: nothing of what ran on it runs any more, and its boot id is another one. */
  rebootNode(name: string): void
  /** All nodes are silent until `release`: nobody knows yet which of them are stopped. */
  hold(): void
  release(): void
}

export function interference(fleet: Fleet): Interference {
  const { workloads, troubles } = fleet
  /** Lets each pod on some nodes know that something around it has changed. */
  const tellRunsOn = (nodes: readonly string[], tell: (run: PodRun) => void): void => {
    for (const name of nodes) {
      for (const run of fleet.present?.floor.runsOn(name) ?? []) {
        run.agenda.advance(fleet.now)
        tell(run)
        fleet.wakePod(objectKey(run.pod))
      }
    }
  }
  return {
    kill(pod, container, signal) {
      const run = fleet.runFor(pod)
      if (run === undefined) return false
      run.agenda.advance(fleet.now)
      const hit = sendSignal(run, container, signal)
      if (hit) fleet.wakePod(objectKey(pod))
      return hit
    },
    setOutages: (outages) => workloads.setOutages(outages),
    setStorageOutages: (outages) => troubles.setStorage(outages),
    setNetworks: (networks) => tellRunsOn(troubles.setNetworks(networks), (run) => run.syncRegularly()),
    setRuntimes: (runtimes) => tellRunsOn(troubles.setRuntimes(runtimes, fleet.now), (run) => run.runtimeTurned()),
    setShortages(shortages) {
      if (troubles.setShortages(shortages)) for (const name of fleet.names) fleet.wakeNode(name)
    },
    stopNode: (name) => fleet.stop(name),
    startNode: (name) => fleet.start(name),
    rebootNode: (name) => fleet.present?.floor.reboot(name, fleet.now),
    hold: () => fleet.hold(),
    release: () => fleet.release(),
  }
}
