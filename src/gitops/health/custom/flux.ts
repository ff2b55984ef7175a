// Kinds of Flux (*.toolkit.fluxcd.io), by their conditions: at work while Ready is open and Reconciling says so, healthy when
// all that the kind must reach is reached, else degraded. The message is the reason of Ready.

import type { AnyObject } from '#objects'
import {
  byCondition,
  degraded,
  findCondition,
  type HealthRule,
  healthy,
  progressing,
  type StatusCondition,
  suspended,
} from '../verdict.ts'
import type { RuleTable } from './rule.ts'

interface Shape {
  readonly spec?: { readonly suspend?: boolean; readonly type?: string }
  readonly status?: { readonly conditions?: readonly StatusCondition[] }
}

interface Expectations {
  /** The status of Ready while the controller is at work. */
  readonly open: 'Unknown' | 'False'
  /** Reasons of Reconciling that count as work; all when absent. */
  readonly work?: readonly string[]
  /** One of these conditions must be True besides Ready. */
  readonly reached?: readonly string[]
  /** A condition whose reason is added to the message while it is True. */
  readonly remark?: string
  readonly isSuspendable: boolean
}

const flux =
  ({ open, work, reached, remark, isSuspendable }: Expectations): HealthRule =>
  (object) => {
    const { spec, status } = object as Shape
    if (isSuspendable && spec?.suspend === true)
      return suspended(['spec.suspend', true, 'suspended by the user'], `${object.kind} is suspended`)
    const conditions = status?.conditions
    if (conditions === undefined)
      return progressing(['status.conditions', undefined, 'not observed yet'], 'Status unknown')
    const ready = findCondition(conditions, 'Ready') ?? { type: 'Ready' }
    const isTrue = (type: string) => conditions.some((each) => each.type === type && each.status === 'True')
    const message = messageOf(conditions, remark)
    const isAtWork = conditions.some(
      (each) =>
        each.type === 'Reconciling' &&
        each.status === 'True' &&
        (work === undefined || work.includes(each.reason ?? '')),
    )
    if (ready.status === open && isAtWork) return progressing(byCondition(ready, 'the controller is at work'), message)
    if (ready.status === 'True' && (reached === undefined || reached.some(isTrue)))
      return healthy(byCondition(ready, 'ready'), message)
    const rule =
      ready.status === 'True'
        ? `ready, and none of ${reached?.join(', ')} is True`
        : 'not ready, and nothing is at work'
    return degraded(byCondition(ready, rule), message)
  }

function messageOf(conditions: readonly StatusCondition[], remark: string | undefined): string {
  let message = ''
  for (const { type, status, reason = '' } of conditions) {
    if (type === 'Ready') message = reason
    else if (type === remark && status === 'True') message += ` ${reason}`
  }
  return message
}

const applied = flux({ open: 'Unknown', isSuspendable: true })
const stored = flux({
  open: 'Unknown',
  reached: ['ArtifactInStorage'],
  remark: 'ArtifactOutdated',
  isSuspendable: true,
})

/** A repository of type oci has no status: there is nothing to fetch in advance. */
const helmRepository: HealthRule = (object: AnyObject) => {
  const { spec } = object as Shape
  return spec?.type === 'oci' && spec.suspend !== true
    ? healthy(
        ['spec.type', 'oci', 'nothing is fetched in advance'],
        "Helm repositories of type 'oci' do not contain any information in the status.",
      )
    : stored(object)
}

export const fluxTable: RuleTable = {
  'kustomize.toolkit.fluxcd.io/Kustomization': applied,
  // Argo CD calls a release degraded once both its install and its tests succeeded; here either of them is enough.
  'helm.toolkit.fluxcd.io/HelmRelease': flux({
    open: 'Unknown',
    reached: ['Released', 'TestSuccess'],
    isSuspendable: true,
  }),
  'source.toolkit.fluxcd.io/Bucket': stored,
  'source.toolkit.fluxcd.io/GitRepository': stored,
  'source.toolkit.fluxcd.io/HelmChart': stored,
  'source.toolkit.fluxcd.io/HelmRepository': helmRepository,
  'source.toolkit.fluxcd.io/OCIRepository': stored,
  'notification.toolkit.fluxcd.io/Receiver': flux({ open: 'False', work: [], isSuspendable: true }),
  'image.toolkit.fluxcd.io/ImagePolicy': flux({
    open: 'False',
    work: ['NewGeneration', 'AccessingRepository', 'ApplyingPolicy'],
    isSuspendable: false,
  }),
  'image.toolkit.fluxcd.io/ImageRepository': flux({
    open: 'False',
    work: ['NewGeneration', 'Scanning'],
    isSuspendable: true,
  }),
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': applied,
}
