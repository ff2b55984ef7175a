// Warnings that workloads give alike: for a name that their pods cannot take over as it is, and for their template whenever
// a write makes a new generation of them.

import type { KubeObject } from '#objects'
import type { PodTemplateSpec } from '../generated/types.ts'
import { hostnameWarnings, templateWarnings } from '../podspec/warnings.ts'

export const isNewGeneration = ({ metadata }: KubeObject, old: KubeObject | undefined): boolean =>
  metadata.generation !== old?.metadata.generation

/** Of a new workload that names its pods after itself. */
export const nameWarnings = ({ metadata }: KubeObject, old: KubeObject | undefined): readonly string[] =>
  old === undefined ? hostnameWarnings(metadata.name, 'Pod names and hostnames') : []

interface Workload extends KubeObject {
  readonly spec: { readonly template?: PodTemplateSpec }
}

export const workloadWarnings = (object: Workload, old: Workload | undefined): readonly string[] =>
  old === undefined || isNewGeneration(object, old)
    ? [...nameWarnings(object, old), ...templateWarnings(object.spec.template, 'spec.template')]
    : []
