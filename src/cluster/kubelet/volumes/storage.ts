// Storage beside the cluster that volumes name themselves, and what the kubelet says when it does not answer. Pure.

import type { PersistentVolumeSpec, Volume } from '#kinds'
import { goQuote } from '../ground/go-text.ts'

/** Storage that does not answer; without a message the usual words are said. */
export interface StorageTrouble {
  readonly message?: string
}

export type TroubleOf = (names: readonly string[]) => StorageTrouble | undefined

type Sources = Pick<Volume, 'nfs' | 'iscsi' | 'fc' | 'csi'>

/** Its kind, and where it is. */
function placesOf({ nfs, iscsi, csi, fc }: Sources): readonly [kind: string, ...string[]] | undefined {
  if (nfs !== undefined) return ['nfs', nfs.server]
  if (iscsi !== undefined) return ['iscsi', iscsi.targetPortal]
  if (csi !== undefined) return ['csi', csi.driver]
  return fc === undefined ? undefined : ['fc']
}

const noAnswer = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'

function usualText({ nfs, iscsi }: Sources, volume: string, podUid: string): string {
  if (nfs !== undefined)
    return `mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs ${nfs.server}:${nfs.path} /var/lib/kubelet/pods/${podUid}/volumes/kubernetes.io~nfs/${volume}\nOutput: mount.nfs: Connection timed out\n`
  if (iscsi !== undefined)
    return `failed to get any path for iscsi disk, last err seen:\niscsi: failed to sendtargets to portal ${iscsi.targetPortal} output: iscsiadm: connect to ${iscsi.targetPortal} timed out\n, err exit status 8`
  return noAnswer
}

export interface StorageUse {
  /** The volume's name in the pod, or that of the PersistentVolume. */
  readonly name: string
  readonly podUid: string
  readonly troubleOf: TroubleOf
}

/** Text of the FailedMount event of a volume whose storage does not answer. */
export function storageFault(
  sources: Pick<Volume, 'nfs' | 'fc' | 'iscsi' | 'csi'> | Pick<PersistentVolumeSpec, 'nfs' | 'fc' | 'iscsi' | 'csi'>,
  { name, podUid, troubleOf }: StorageUse,
  isClaimed: boolean,
): string | undefined {
  const of = sources as Sources
  const places = placesOf(of)
  const trouble = places === undefined ? undefined : troubleOf([...places, name])
  if (places === undefined || trouble === undefined) return undefined
  // Block storage is first mounted for the whole node.
  const step = places[0] === 'nfs' || !isClaimed ? 'SetUp' : 'MountDevice'
  return `MountVolume.${step} failed for volume ${goQuote(name)} : ${trouble.message ?? usualText(of, name, podUid)}`
}
