// Warnings that workloads give alike: for a name that their pods cannot take over as it is, and for their template whenever
// a write makes a new generation of them.

import type { KubeObject } from '#objects'
import type { PodTemplateSpec } from '../generated/types.ts'
import { dnsLabel } from '../metadata/formats.ts'
import { templateWarnings } from '../podspec/warnings.ts'

export const isNewGeneration = ({ metadata }: KubeObject, old: KubeObject | undefined): boolean =>
  metadata.generation !== old?.metadata.generation

/** Of a new workload that names its pods after itself. */
export function nameWarnings({ metadata }: KubeObject, old: KubeObject | undefined): readonly string[] {
  const faults = old === undefined ? dnsLabel(metadata.name ?? '') : []
  return faults.length === 0
    ? faults
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
      ]
}

interface Workload extends KubeObject {
  readonly spec: { readonly template?: PodTemplateSpec }
}

export const workloadWarnings = (object: Workload, old: Workload | undefined): readonly string[] =>
  old === undefined || isNewGeneration(object, old)
    ? [...nameWarnings(object, old), ...templateWarnings(object.spec.template, 'spec.template')]
    : []
