import { expect, it } from 'vitest'
import type { Fault, FaultStatus, NodeReboot } from '#kinds'
import { decideReboot } from './reboots.ts'

const now = Date.parse('2026-01-01T00:10:00Z')
const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString().replace('.000', '')
const fault = (nodeReboot: NodeReboot, status: FaultStatus = {}): Fault => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'Fault',
  metadata: { name: 'f' },
  spec: { nodeReboot },
  status,
})

it.each<[string, NodeReboot, FaultStatus, readonly [reboots: number, isDown: boolean, nextMs: number]]>([
  ['at once', {}, {}, [1, true, 60_000]],
  ['is down for a while', {}, { phase: 'Rebooting', reboots: 1, lastRebootTime: at(-20) }, [1, true, 40_000]],
  ['is back', {}, { phase: 'Rebooting', reboots: 1, lastRebootTime: at(-60) }, [1, false, Number.POSITIVE_INFINITY]],
  ['once', {}, { phase: 'Active', reboots: 1, lastRebootTime: at(-900) }, [1, false, Number.POSITIVE_INFINITY]],
  ['again later', { everySeconds: 600 }, { phase: 'Active', reboots: 1, lastRebootTime: at(-90) }, [1, false, 510_000]],
  ['again', { everySeconds: 600 }, { phase: 'Active', reboots: 1, lastRebootTime: at(-600) }, [2, true, 60_000]],
])('a reboot: %s', (_name, nodeReboot, status, [reboots, isDown, nextMs]) => {
  expect(decideReboot(fault(nodeReboot, status), now)).toMatchObject({ status: { reboots }, isDown, nextMs })
})
