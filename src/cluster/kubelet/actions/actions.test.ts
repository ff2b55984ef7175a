import { describe, expect, it } from 'vitest'
import type { Container, Pod, PodSpec } from '#kinds'
import type { ContainerKind, ContainerRecord, Sandbox } from '../containers/containers.ts'
import { decideActions } from './actions.ts'

const ready: Sandbox = { ready: true, ip: '10.244.0.2', attempt: 0, createdAt: 0 }
const stopped: Sandbox = { ...ready, ready: false }

const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'i', ...more })
const proxy = container('proxy', { restartPolicy: 'Always' })

const record = (
  name: string,
  state: ContainerRecord['state'],
  exitCode = 0,
  kind: ContainerKind = 'main',
): ContainerRecord => ({
  id: `containerd://${name}`,
  name,
  kind,
  attempt: 0,
  state,
  createdAt: 0,
  startedAt: 0,
  finishedAt: 0,
  exitCode,
  reason: '',
  message: '',
  specImage: 'i',
  image: 'i',
  imageID: 'i',
  resources: {},
})

interface Row {
  readonly spec?: Partial<PodSpec>
  readonly deleted?: boolean
  readonly sandbox?: Sandbox | undefined
  readonly records?: readonly ContainerRecord[]
  readonly failed?: 'liveness' | 'startup'
  readonly notStarted?: string
  readonly resize?: string
}

/** What is to be done, in a few words. */
function decide({ spec = {}, deleted = false, records = [], failed, notStarted, resize, ...rest }: Row): string {
  const sandbox = 'sandbox' in rest ? rest.sandbox : ready
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { containers: [container('app')], ...spec },
  }
  const actions = decideActions({
    pod,
    sandbox,
    records,
    failed: (_record, probe) => probe === failed,
    isStarted: ({ name }) => name !== notStarted,
    resizeRestarts: new Set(resize === undefined ? [] : [resize]),
  })
  const names = (list: readonly { readonly spec: { readonly name: string } }[]): string =>
    list.map((one) => one.spec.name).join()
  return [
    ...(actions.killPod ? ['kill pod'] : []),
    ...(actions.createSandbox ? ['sandbox'] : []),
    ...actions.kill.map(({ message }) => message),
    ...(actions.startEphemeral.length > 0 ? [`start ephemeral ${names(actions.startEphemeral)}`] : []),
    ...(actions.startInit.length > 0 ? [`start init ${names(actions.startInit)}`] : []),
    ...(actions.start.length > 0 ? [`start ${names(actions.start)}`] : []),
  ].join('; ')
}

const setup = container('setup')
const app = record('app', 'running')

describe('decideActions', () => {
  it.each<[string, Row, string]>([
    ['a new pod', { sandbox: undefined }, 'sandbox; start app'],
    [
      'a new pod with init containers',
      { sandbox: undefined, spec: { initContainers: [setup] } },
      'sandbox; start init setup',
    ],
    ['all is well', { records: [app] }, ''],
    [
      'init container done',
      { spec: { initContainers: [setup] }, records: [record('setup', 'exited', 0, 'init')] },
      'start app',
    ],
    [
      'init container runs',
      { spec: { initContainers: [setup] }, records: [record('setup', 'running', 0, 'init')] },
      '',
    ],
    [
      'init container failed',
      { spec: { initContainers: [setup] }, records: [record('setup', 'exited', 1, 'init')] },
      'start init setup',
    ],
    [
      'init container failed for good',
      { spec: { initContainers: [setup], restartPolicy: 'Never' }, records: [record('setup', 'exited', 1, 'init')] },
      'kill pod',
    ],
    ['crashed', { records: [record('app', 'exited', 1)] }, 'start app'],
    ['crashed for good', { spec: { restartPolicy: 'Never' }, records: [record('app', 'exited', 1)] }, 'kill pod'],
    ['done', { spec: { restartPolicy: 'OnFailure' }, records: [record('app', 'exited', 0)] }, 'kill pod'],
    ['crashed while being deleted', { deleted: true, records: [record('app', 'exited', 1)] }, 'kill pod'],
    [
      'liveness',
      { records: [app], failed: 'liveness' },
      'Container app failed liveness probe, will be restarted; start app',
    ],
    ['liveness for good', { records: [app], failed: 'liveness', spec: { restartPolicy: 'Never' } }, 'kill pod'],
    [
      'startup',
      { records: [app], failed: 'startup' },
      'Container app failed startup probe, will be restarted; start app',
    ],
    [
      'another image',
      { records: [{ ...app, specImage: 'old' }], spec: { restartPolicy: 'Never' } },
      'Container app definition changed, will be restarted; start app',
    ],
    [
      'a resize that needs a restart',
      { records: [app], resize: 'app' },
      'Container app resize requires restart; start app',
    ],
    ['sandbox gone', { sandbox: stopped, records: [app] }, 'kill pod; sandbox; start app'],
    ['sandbox gone for good', { sandbox: stopped, records: [app], spec: { restartPolicy: 'Never' } }, 'kill pod'],
    ['sidecar first', { spec: { initContainers: [proxy] } }, 'start init proxy'],
    [
      'sidecar started',
      { spec: { initContainers: [proxy] }, records: [record('proxy', 'running', 0, 'init')] },
      'start app',
    ],
    [
      'sidecar not started',
      { spec: { initContainers: [proxy] }, notStarted: 'proxy', records: [record('proxy', 'running', 0, 'init')] },
      '',
    ],
    [
      'sidecar crashed',
      { spec: { initContainers: [proxy] }, records: [record('proxy', 'exited', 1, 'init'), app] },
      'start init proxy',
    ],
    [
      'sidecar fails its liveness probe',
      { spec: { initContainers: [proxy] }, failed: 'liveness', records: [record('proxy', 'running', 0, 'init')] },
      'Init container proxy failed liveness probe; start init proxy; start app',
    ],
    [
      'sidecar fails its startup probe',
      {
        spec: { initContainers: [proxy, setup] },
        failed: 'startup',
        notStarted: 'proxy',
        records: [record('proxy', 'running', 0, 'init')],
      },
      'Init container proxy failed startup probe; start init proxy',
    ],
    [
      'sidecar has another image',
      {
        spec: { initContainers: [proxy] },
        records: [{ ...record('proxy', 'running', 0, 'init'), specImage: 'old' }, app],
      },
      'Init container proxy definition changed; start init proxy',
    ],
    [
      'sidecar crashed while a later init container runs',
      {
        spec: { initContainers: [proxy, setup] },
        records: [record('setup', 'running', 0, 'init'), record('proxy', 'exited', 1, 'init')],
      },
      'start init proxy',
    ],
    [
      'sidecar crashed while a later init container is to be tried again',
      {
        spec: { initContainers: [proxy, setup] },
        records: [record('setup', 'exited', 1, 'init'), record('proxy', 'exited', 1, 'init')],
      },
      'start init proxy,setup',
    ],
    [
      'everything has ended: the last sidecar goes before the main containers',
      {
        spec: { initContainers: [setup, proxy] },
        records: [
          record('app', 'exited', 1),
          record('proxy', 'exited', 1, 'init'),
          record('setup', 'exited', 0, 'init'),
        ],
      },
      'start init proxy',
    ],
    [
      'an init container of a running pod is gone from the runtime',
      { spec: { initContainers: [setup] }, records: [app] },
      '',
    ],
    [
      'ephemeral',
      { spec: { ephemeralContainers: [{ name: 'debug', image: 'i' }] }, records: [app] },
      'start ephemeral debug',
    ],
  ])('%s', (_name, row, expected) => {
    expect(decide(row)).toBe(expected)
  })
})
