// What a claim does next: take a volume, wait and say why, or find that its volume is lost. Pure. Follows syncClaim of
// Kubernetes' persistent volume controller.

import {
  isMadeFor,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  selectedNodeAnnotation,
  storageClassNameOf,
} from '#kinds'
import { isPodTerminated } from '../pods.ts'
import { isBound } from './bind.ts'
import { findVolume, misfit, namesClass } from './match.ts'
import { currentProvisioner, hostPathPlugin, plugins } from './provisioner.ts'

export interface Observed {
  readonly claim: PersistentVolumeClaim
  /** Those that may be meant. */
  readonly volumes: readonly PersistentVolume[]
  readonly storageClass: StorageClass | undefined
  /** What claims without a class get. */
  readonly defaultClass: StorageClass | undefined
  /** Pods that use the claim. */
  readonly pods: readonly Pod[]
}

export interface Happening {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export type ClaimStep =
  | { readonly type: 'bind'; readonly volume: PersistentVolume }
  /** Whoever is asked to provision a volume is named in the claim. */
  | { readonly type: 'wait'; readonly happening?: Happening; readonly provisioner?: string }
  | { readonly type: 'lose'; readonly happening: Happening }
  | { readonly type: 'setClass'; readonly name: string }

const wait = (type: Happening['type'], reason: string, message: string): ClaimStep => ({
  type: 'wait',
  happening: { type, reason, message },
})

export function decideClaim(observed: Observed): ClaimStep {
  const { claim } = observed
  if (isBound(claim)) return decideBound(observed)
  if ((claim.spec?.volumeName ?? '') !== '') return decideNamed(observed)
  const { volumes, storageClass, defaultClass } = observed
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  const volume = findVolume(claim, volumes, isDelayed)
  if (volume !== undefined) return { type: 'bind', volume }
  if (!namesClass(claim) && defaultClass !== undefined)
    return { type: 'setClass', name: defaultClass.metadata.name ?? '' }
  if (isDelayed && !hasNode(claim)) return decideDelayed(observed)
  if (storageClassNameOf(claim) !== '') return decideProvision(claim, storageClass)
  return wait('Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set')
}

/** The scheduler has chosen a node for the pod that uses the claim. */
const hasNode = ({ metadata }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[selectedNodeAnnotation] !== undefined

function decideNamed({ claim, volumes }: Observed): ClaimStep {
  const { volumeName } = claim.spec ?? {}
  const volume = volumes.find(({ metadata }) => metadata.name === volumeName)
  if (volume === undefined) return { type: 'wait' }
  if (isMadeFor(volume, claim)) return { type: 'bind', volume }
  if (volume.spec?.claimRef !== undefined)
    return wait('Warning', 'FailedBinding', `volume "${volumeName}" already bound to a different claim.`)
  const why = misfit(volume, claim)
  return why === undefined
    ? { type: 'bind', volume }
    : wait('Warning', 'VolumeMismatch', `Cannot bind to requested volume "${volumeName}": ${why}`)
}

function decideDelayed({ pods }: Observed): ClaimStep {
  const names = pods
    .filter((pod) => !isPodTerminated(pod) && (pod.spec.nodeName ?? '') === '')
    .map(({ metadata }) => metadata.name ?? '')
  if (names.length === 0)
    return wait('Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
  const who = `${names.length === 1 ? 'pod' : 'pods'} ${names.join(',')}`
  return wait('Normal', 'WaitForPodScheduled', `waiting for ${who} to be scheduled`)
}

function decideProvision(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): ClaimStep {
  const failed = (why: string): ClaimStep => wait('Warning', 'ProvisioningFailed', why)
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${storageClassNameOf(claim)}" not found`)
  const provisioner = currentProvisioner(storageClass.provisioner)
  // Built in, but made for other things, or switched off.
  if (provisioner === hostPathPlugin) {
    const why = `Failed to create provisioner: provisioning in volume plugin "${provisioner}" is disabled`
    return { type: 'wait', happening: { type: 'Warning', reason: 'ProvisioningFailed', message: why }, provisioner }
  }
  if (Object.values(plugins).includes(provisioner)) return failed('no provisionable volume plugin matched')
  if (provisioner.startsWith('kubernetes.io/')) return failed(`no volume plugin matched name: ${provisioner}`)
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.'
  return { type: 'wait', happening: { type: 'Normal', reason: 'ExternalProvisioning', message }, provisioner }
}

const lost = (reason: string, message: string): ClaimStep => ({
  type: 'lose',
  happening: { type: 'Warning', reason, message },
})

function decideBound({ claim, volumes }: Observed): ClaimStep {
  const { volumeName = '' } = claim.spec ?? {}
  if (volumeName === '')
    return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  const volume = volumes.find(({ metadata }) => metadata.name === volumeName)
  if (volume === undefined)
    return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  const reference = volume.spec?.claimRef
  return reference === undefined || reference.uid === claim.metadata.uid
    ? { type: 'bind', volume }
    : lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}
