// Which volumes of a pod cannot be mounted now, and what is said of that. Volumes that no container uses are not looked
// at. Pure but for the lookups that are handed in.

import type { Pod, PodSpec, Volume } from '#kinds'
import type { Objects } from '../containers/environment.ts'
import { goList } from '../ground/go-text.ts'
import { type ClaimLookups, claimState, ready, type Site, setUpFault, type VolumeState } from './claims.ts'
import { type SourceLookup, sourceFault } from './sources.ts'
import { storageFault } from './storage.ts'

/** All that volumes are made of. */
export interface VolumeLookups extends Objects, ClaimLookups {
  hasServiceAccount(key: string): boolean
}

export interface VolumeReport {
  /** Texts of FailedMount events; each volume is tried again by itself. */
  readonly faults: readonly string[]
  /** What is said of volumes that the kubelet cannot make out; the whole sync fails. */
  readonly unknown: string | undefined
  readonly complete: boolean
}

const complete: VolumeReport = { faults: [], unknown: undefined, complete: true }

/** How containers use the volume with this name. */
function howUsed({ containers, initContainers = [], ephemeralContainers = [] }: PodSpec, name: string) {
  const all = [...containers, ...initContainers, ...ephemeralContainers]
  return {
    mounted: all.some(({ volumeMounts }) => volumeMounts?.some((mount) => mount.name === name) === true),
    device: all.some(({ volumeDevices }) => volumeDevices?.some((device) => device.name === name) === true),
  }
}

function stateOf(volume: Volume, pod: Pod, around: Around): VolumeState {
  const { lookups, site } = around
  const { name, hostPath, persistentVolumeClaim, ephemeral, csi } = volume
  if (persistentVolumeClaim !== undefined || ephemeral !== undefined) {
    const use = { volume, pod, ...howUsed(pod.spec, name) }
    return claimState(use, lookups, site)
  }
  const trouble = storageFault(volume, { name, podUid: pod.metadata.uid ?? '', troubleOf: site.troubleOf }, false)
  if (trouble !== undefined) return { type: 'fault', message: trouble }
  const fault =
    hostPath !== undefined
      ? site.files.faultOf(hostPath)
      : csi !== undefined
        ? inlineFault(csi.driver, lookups)
        : sourceFault(volume, around.source)
  return fault === undefined ? ready : setUpFault(name, fault)
}

/** A driver that is not there, or is not meant for volumes that live with their pod (csi_mounter.go). */
function inlineFault(name: string, { driver }: ClaimLookups): string | undefined {
  const found = driver(name)
  if (found === undefined)
    return `kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name ${name} not found in the list of registered CSI drivers`
  const modes = found.spec.volumeLifecycleModes ?? ['Persistent']
  if (modes.includes('Ephemeral')) return undefined
  const only = `[${modes.map((mode) => JSON.stringify(mode)).join(' ')}]`
  return `kubernetes.io/csi: mounter.SetupAt failed to check volume lifecycle mode: volume mode "Ephemeral" not supported by driver ${name} (only supports ${only})`
}

interface Around {
  readonly lookups: VolumeLookups
  readonly site: Site
  readonly source: SourceLookup
}

export function decideVolumes(pod: Pod, lookups: VolumeLookups, site: Site): VolumeReport {
  const { volumes = [] } = pod.spec
  const { namespace = '' } = pod.metadata
  const source: SourceLookup = {
    spec: pod.spec,
    namespace,
    serviceAccount: pod.spec.serviceAccountName ?? 'default',
    objects: lookups,
    hasServiceAccount: (key) => lookups.hasServiceAccount(key),
  }
  let late: { readonly name: string; readonly state: VolumeState }[] | undefined
  for (const volume of volumes) {
    const state = stateOf(volume, pod, { lookups, site, source })
    if (state.type === 'ready') continue
    const { mounted, device } = howUsed(pod.spec, volume.name)
    if (mounted || device) late = [...(late ?? []), { name: volume.name, state }]
  }
  return late === undefined ? complete : reportOn(late)
}

function reportOn(late: readonly { readonly name: string; readonly state: VolumeState }[]): VolumeReport {
  const unknown = late.filter(({ state }) => state.type === 'unknown')
  const names = (of: typeof late): string => goList(of.map(({ name }) => name).sort())
  const unattached = late.filter(({ state }) => state.type === 'waiting')
  const why = unknown.flatMap(({ state }) => ('message' in state ? [state.message] : [])).join('; ')
  return {
    faults: late.flatMap(({ state }) => (state.type === 'fault' ? [state.message] : [])),
    unknown:
      unknown.length === 0
        ? undefined
        : `Unable to attach or mount volumes: unmounted volumes=${names(late)}, unattached volumes=${names(unattached)}, failed to process volumes=${names(unknown)}: ${why}`,
    complete: false,
  }
}
