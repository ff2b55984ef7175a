// Warnings for claims, and for the claims that pods and StatefulSets embed (pkg/api/persistentvolumeclaim).

import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../generated/types.ts'
import { fractionWarning } from '../podspec/container-warnings.ts'
import { oldClassAnnotation } from './binding.ts'

/** For volumes and claims that name their class as it was done before v1.6. */
export const oldClassWarning = (annotations: Readonly<Record<string, string>> | undefined): readonly string[] =>
  annotations?.[oldClassAnnotation] === undefined
    ? []
    : [`metadata.annotations[${oldClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]

export const claimWarnings = ({ metadata, spec }: PersistentVolumeClaim): readonly string[] => [
  ...oldClassWarning(metadata.annotations),
  ...claimSpecWarnings(spec, 'spec'),
]

export const claimSpecWarnings = (spec: PersistentVolumeClaimSpec | undefined, path: string): readonly string[] =>
  (['requests', 'limits'] as const).flatMap((list) =>
    fractionWarning(spec?.resources?.[list]?.['storage'], `${path}.resources.${list}[storage]`),
  )
