// All nodes of the cluster and the pods that run on them, as one run of the kubelet loops has them in memory. Made anew
// from the API when the loops start: what containers are doing is read back from the pods' statuses.

import { Node, type Pod } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, podsByNode } from '#reconcile'
import { endAll } from '../ending/ending.ts'
import { rank } from '../ground/agenda.ts'
import type { NodeFacts } from '../node/node-facts.ts'
import { bootIdOf, type NodeSpec, nodeLabels } from '../node/node-object.ts'
import { isStatic, mirroredHash, staticPodsOf } from '../node/static-pods.ts'
import type { PodRun } from '../pod/pod-run.ts'
import type { NodeProfiles } from '../profiles/node-profiles.ts'
import { restore, wasBegun } from '../sync/restore.ts'
import { runPod } from '../sync/stages.ts'

import { type FloorOptions, lookupsIn, type NodePlace, placeOf } from './node-place.ts'

/** A kubelet looks after its node first, and after pods a little later. */
const startMs = 1000

/** A pod that a manifest on a node asks for. */
export interface StaticPlace {
  readonly pod: Pod
  readonly place: NodePlace
}

export class Floor {
  readonly #nodes = new Map<string, NodePlace>()
  readonly #runs = new Map<string, PodRun>()
  readonly #byKey = new Map<string, Set<PodRun>>()
  readonly #isStopped: (name: string) => boolean
  readonly #cache: Cache
  readonly #profiles: NodeProfiles
  #statics: ReadonlyMap<string, StaticPlace> = new Map()

  constructor(cache: Cache, options: FloorOptions) {
    this.#isStopped = options.isStopped
    this.#cache = cache
    this.#profiles = options.profiles
    const around = {
      options,
      cache,
      objects: lookupsIn(cache),
      runOf: (uid: string) => this.#runs.get(uid),
      factsOf: (spec: NodeSpec) => this.#factsOf(spec),
    }
    options.nodes.forEach((spec, index) => {
      this.#nodes.set(spec.name, placeOf({ spec, index }, around))
    })
  }

  nodeNamed(name: string): NodePlace | undefined {
    return this.#nodes.get(name)
  }

  isStopped(name: string): boolean {
    return this.#isStopped(name)
  }

  runOf(uid: string): PodRun | undefined {
    return this.#runs.get(uid)
  }

  /** What runs for a pod of the API; a mirror shows a static one. */
  runFor(pod: Pod): PodRun | undefined {
    return this.#runs.get(mirroredHash(pod) ?? pod.metadata.uid ?? '')
  }

  /** Reads the manifests of all nodes again; answers the keys of their pods, those that were there before too. */
  readManifests(): Iterable<string> {
    const before = this.#statics
    const statics = new Map<string, StaticPlace>()
    for (const place of this.#nodes.values())
      for (const [key, pod] of staticPodsOf(place.runtime.facts(), place.spec.name)) statics.set(key, { pod, place })
    this.#statics = statics
    return before.size === 0 ? statics.keys() : new Set([...before.keys(), ...statics.keys()])
  }

  staticPodAt(key: string): StaticPlace | undefined {
    return this.#statics.get(key)
  }

  /** Whether what has this key is a static pod or its mirror. */
  isStaticKey(key: string, pod: Pod | undefined): boolean {
    if (pod !== undefined && mirroredHash(pod) !== undefined) return true
    if (this.#statics.has(key)) return true
    for (const run of this.runsAt(key)) if (isStatic(run.pod)) return true
    return false
  }

  /** This very version of the pod has been taken over. */
  hasSeen(pod: Pod): boolean {
    return this.#runs.get(pod.metadata.uid ?? '')?.api === pod
  }

  /** Everything that ran or runs under this name, the present pod or former ones. */
  runsAt(key: string): Iterable<PodRun> {
    return this.#byKey.get(key) ?? []
  }

  keys(): Iterable<string> {
    return this.#byKey.keys()
  }

  /** Everything that runs on these nodes, was bound to them meanwhile, or stands in their folders. */
  keysOn(nodeNames: ReadonlySet<string>): ReadonlySet<string> {
    const running = [...nodeNames].flatMap((name) => this.runsOn(name))
    const bound = [...nodeNames].flatMap((name) => this.#cache.by(podsByNode, name))
    const statics = [...this.#statics].flatMap(([key, { place }]) => (nodeNames.has(place.spec.name) ? [key] : []))
    return new Set([...running.map(({ pod }) => objectKey(pod)), ...bound.map(objectKey), ...statics])
  }

  /** The machine of a node was started anew. */
  reboot(nodeName: string, now: number): void {
    const place = this.#nodes.get(nodeName)
    if (place === undefined) return
    place.runtime.bootID = bootIdOf(nodeName, now)
    for (const run of this.runsOn(nodeName)) {
      run.agenda.advance(now)
      endAll(run)
    }
  }

  runsOn(nodeName: string): readonly PodRun[] {
    return [...(this.#nodes.get(nodeName)?.runs ?? [])]
  }

  /** The pods that a node has taken, as the API has them. */
  *podsOn(nodeName: string): Iterable<Pod> {
    for (const { metadata } of this.#nodes.get(nodeName)?.runtime.pods ?? []) {
      const run = this.#runs.get(metadata.uid ?? '')
      if (run !== undefined) yield run.api
    }
  }

  stop(nodeName: string): void {
    for (const run of this.runsOn(nodeName)) run.isDown = true
  }

  restart(nodeName: string, now: number): void {
    for (const run of this.runsOn(nodeName)) {
      run.agenda.advance(now)
      run.agenda.at(now + startMs, rank.work, () => run.restart())
    }
  }

  /** Takes a pod onto its node. */
  take(pod: Pod, { around, runtime: node, runs: there }: NodePlace, now: number): PodRun {
    const run = runPod({ pod, around, now })
    const key = objectKey(pod)
    this.#runs.set(run.uid, run)
    there.add(run)
    const runs = this.#byKey.get(key) ?? new Set()
    runs.add(run)
    this.#byKey.set(key, runs)
    if (wasBegun(run)) {
      restore(run)
      if (!run.isFinished) {
        run.resizing.resume()
        node.admit(run.uid, run.resizing.allocation.pod)
      }
    }
    return run
  }

  drop(key: string, run: PodRun): void {
    this.#runs.delete(run.uid)
    this.#nodes.get(run.around.node.name)?.runs.delete(run)
    run.around.node.release(run.uid)
    run.around.node.resizes.retry(run.now)
    const runs = this.#byKey.get(key)
    runs?.delete(run)
    if (runs?.size === 0) this.#byKey.delete(key)
  }

  #factsOf(spec: NodeSpec): NodeFacts {
    return this.#profiles.of(spec.name, this.#cache.get(Node, spec.name)?.metadata.labels ?? nodeLabels(spec))
  }
}
