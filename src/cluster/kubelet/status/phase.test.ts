import { describe, expect, it } from 'vitest'
import type { Container, ContainerState, ContainerStatus, PodSpec } from '#kinds'
import { type Phase, phaseOf } from './phase.ts'

const running: ContainerState = { running: {} }
const waiting: ContainerState = { waiting: { reason: 'ContainerCreating' } }
const exited = (exitCode: number): ContainerState => ({ terminated: { exitCode } })

const status = (name: string, state: ContainerState, lastState: ContainerState = {}): ContainerStatus => ({
  name,
  state,
  lastState,
  ready: false,
  started: state.running !== undefined,
  restartCount: 0,
  image: '',
  imageID: '',
})

const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'i', ...more })

interface Row {
  readonly policy?: 'Always' | 'Never' | 'OnFailure'
  readonly init?: readonly Container[]
  readonly main?: readonly string[]
  readonly terminal?: boolean
  readonly initialized?: boolean
  readonly statuses: readonly ContainerStatus[]
}

function find({
  policy = 'Always',
  init = [],
  main = ['app'],
  terminal = false,
  initialized = false,
  statuses,
}: Row): Phase {
  const spec: PodSpec = { restartPolicy: policy, initContainers: init, containers: main.map((name) => container(name)) }
  return phaseOf({ spec, statuses, terminal, initialized })
}

const setup = container('setup')
const proxy = container('proxy', { restartPolicy: 'Always' })

describe('phaseOf', () => {
  it.each<[string, Row, Phase]>([
    ['nothing runs yet', { statuses: [status('app', waiting)] }, 'Pending'],
    ['running', { statuses: [status('app', running)] }, 'Running'],
    [
      'one of two still waits for its image',
      { main: ['app', 'b'], statuses: [status('app', running), status('b', waiting)] },
      'Pending',
    ],
    ['crashed, to be restarted', { statuses: [status('app', exited(1))] }, 'Running'],
    ['waits to be restarted', { statuses: [status('app', waiting, exited(1))] }, 'Running'],
    ['failed for good', { policy: 'Never', statuses: [status('app', exited(1))] }, 'Failed'],
    ['done', { policy: 'OnFailure', statuses: [status('app', exited(0))] }, 'Succeeded'],
    [
      'one of two done',
      { policy: 'Never', main: ['app', 'b'], statuses: [status('app', exited(0)), status('b', running)] },
      'Running',
    ],
    ['ended while it was to run for ever', { terminal: true, statuses: [status('app', exited(0))] }, 'Succeeded'],
    ['killed', { terminal: true, statuses: [status('app', exited(137))] }, 'Failed'],
    ['init container runs', { init: [setup], statuses: [status('setup', running), status('app', waiting)] }, 'Pending'],
    [
      'init container failed for good',
      { policy: 'Never', init: [setup], statuses: [status('setup', exited(2)), status('app', waiting)] },
      'Failed',
    ],
    [
      'sidecar not started yet',
      { init: [proxy], statuses: [status('proxy', waiting), status('app', waiting)] },
      'Pending',
    ],
    [
      'sidecar crashed beside a running container',
      { init: [proxy], initialized: true, statuses: [status('proxy', exited(1)), status('app', running)] },
      'Running',
    ],
    [
      'a sidecar does not count when the others are done',
      { policy: 'Never', init: [proxy], statuses: [status('proxy', exited(1)), status('app', exited(0))] },
      'Succeeded',
    ],
  ])('%s', (_name, row, expected) => {
    expect(find(row)).toBe(expected)
  })
})
