// The trouble that people bring on in a play by Faults: of each kind there is one at most, and all is over when they are gone.

import { isNotFound } from '#api'
import { Fault, type FaultSpec } from '#kinds'
import type { Random } from '#world'
import type { TestMachine } from '../support/machine.ts'
import { stage } from './cast.ts'

type Draw = (random: Random, node: string) => FaultSpec

const oneOf = <T>(random: Random, ...from: readonly T[]): T => from[random.int(from.length)] as T

const draws: readonly (readonly [name: string, draw: Draw])[] = [
  ['reboot', (random, node) => ({ nodeReboot: { nodes: [node], downSeconds: 1 + random.int(60) } })],
  ['offline', (_random, node) => ({ nodeOffline: { nodes: [node] } })],
  ['network', (_random, node) => ({ networkNotReady: { nodes: [node] } })],
  ['runtime', (_random, node) => ({ runtimeDown: { nodes: [node] } })],
  [
    'pressure',
    (random, node) => {
      const available = oneOf<Record<string, string>>(
        random,
        { 'memory.available': '50Mi' },
        { 'nodefs.available': '5%' },
      )
      return { nodePressure: { nodes: [node], available } }
    },
  ],
  ['registry', () => ({ registryDown: {} })],
  ['storage', (random) => ({ storageFailing: { step: oneOf(random, 'mount', 'attach') } })],
  [
    'killer',
    (random) => ({
      containerKilled: { namespaces: [stage], everySeconds: 5 + random.int(30), signal: oneOf(random, 9, 15) },
    }),
  ],
  // What people do is not theirs to fail.
  ['errors', (random) => ({ apiErrors: { users: ['system:*'], rate: 0.1 + random.next() * 0.5 } })],
  [
    'paused',
    (random) => ({
      loopPaused: {
        loops: [oneOf(random, 'deployment', 'replicaset', 'statefulset', 'scheduler', 'kubelet', 'endpointslice')],
      },
    }),
  ],
  ['deaf', (random) => ({ watchLost: { kinds: [oneOf(random, 'Pod', 'ReplicaSet', 'Node', 'EndpointSlice')] } })],
]

/** A Fault that a seed brings, on this node where it is one of nodes. */
export function drawFault(random: Random, node: string): Fault {
  const [name, draw] = oneOf(random, ...draws)
  return { apiVersion: 'lab.homeostat.dev/v1alpha1', kind: 'Fault', metadata: { name }, spec: draw(random, node) }
}

export async function endFaults({ client }: TestMachine): Promise<void> {
  for (const { metadata } of (await client.list(Fault)).items) {
    try {
      await client.delete(Fault, { name: metadata.name ?? '' })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
