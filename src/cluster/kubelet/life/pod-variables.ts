// The variables of a container of a pod that runs, with the addresses that it has by then.

import type { Container, EphemeralContainer } from '#kinds'
import { variablesOf } from '../containers/variables.ts'
import type { PodLife } from './pod-life.ts'

export const variablesIn = (
  { pod, sandbox, around: { node, objects } }: PodLife,
  container: Container | EphemeralContainer,
): ReadonlyMap<string, string> =>
  variablesOf(container, {
    pod,
    objects,
    podIP: sandbox?.ip ?? '',
    hostIP: node.hostIP,
    allocatable: node.allocatable,
  })
