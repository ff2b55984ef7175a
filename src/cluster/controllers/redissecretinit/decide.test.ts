import { describe, expect, it } from 'vitest'
import type { Container, ContainerState, Pod } from '#kinds'
import { hasBegun, isPasswordMaker } from './decide.ts'

const image = 'quay.io/argoproj/argocd:v3.1.0'
const pod = (told: Partial<Container>, list: 'init' | 'main', state: ContainerState): Pod => {
  const maker: Container = { name: 'secret-init', image, ...told }
  const status = { name: 'secret-init', state, ready: false, restartCount: 0, image, imageID: '' }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'argocd-redis-1', namespace: 'argocd' },
    spec: list === 'init' ? { initContainers: [maker], containers: [{ name: 'redis' }] } : { containers: [maker] },
    status: list === 'init' ? { initContainerStatuses: [status] } : { containerStatuses: [status] },
  }
}

const command = ['argocd', 'admin', 'redis-initial-password']

describe('a container that thinks up the password for Redis', () => {
  it.each<[string, Pod, boolean]>([
    ['runs before Redis', pod({ command }, 'init', { running: {} }), true],
    ['has ended', pod({ command }, 'init', { terminated: { exitCode: 0 } }), true],
    ['is a Job', pod({ args: ['admin', 'redis-initial-password'] }, 'main', { running: {} }), true],
    ['waits for its image', pod({ command }, 'init', { waiting: {} }), false],
  ])('%s', (_name, given, begun) => {
    expect(isPasswordMaker(given)).toBe(true)
    expect(hasBegun(given)).toBe(begun)
  })

  it('is none where something else is run', () => {
    expect(isPasswordMaker(pod({ command: ['argocd-server'] }, 'main', { running: {} }))).toBe(false)
  })
})
