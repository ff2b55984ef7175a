import { describe, expect, it } from 'vitest'
import type { Container, Pod } from '#kinds'
import { runOf } from '../workload/workload.ts'
import { ProfiledWorkloads } from './profiled-workloads.ts'

const pod = (container: Partial<Container>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo' },
  spec: { containers: [{ name: 'app', image: 'nginx', ...container }] },
})

const workloads = new ProfiledWorkloads()
const runOfContainer = (container: Partial<Container>) => runOf(workloads.container(pod(container), 'app'), 0)

describe('public images', () => {
  it.each<[string, Partial<Container>, object]>([
    ['nginx serves', { image: 'nginx:1.27' }, { forever: true }],
    ['nginx with another command', { image: 'nginx', command: ['sh', '-c', 'exit 4'] }, { exitCode: 4 }],
    ['busybox has nothing to do', { image: 'busybox:1.36' }, { exitCode: 0, afterSeconds: 0.1 }],
    ['busybox sleeps', { image: 'docker.io/library/busybox', command: ['sleep', '30'] }, { afterSeconds: 30 }],
    ['busybox fails', { image: 'busybox', command: ['sh', '-c', 'exit 1'] }, { exitCode: 1 }],
    ['postgres wants a password', { image: 'postgres:17' }, { exitCode: 1 }],
    ['postgres has one', { image: 'postgres:17', env: [{ name: 'POSTGRES_PASSWORD', value: 'x' }] }, { forever: true }],
    ['postgres may have one', { image: 'postgres', envFrom: [{ secretRef: { name: 'db' } }] }, { forever: true }],
    ['mysql wants a password', { image: 'mysql:8' }, { exitCode: 1 }],
    ['mysql wants one whatever its options', { image: 'mysql:8', args: ['--skip-name-resolve'] }, { exitCode: 1 }],
    ['a shell that somebody may talk to', { image: 'busybox', stdin: true, tty: true }, { forever: true }],
    ['a shell at a terminal', { image: 'ubuntu:24.04', tty: true }, { forever: true }],
    ['an interpreter has nothing to do', { image: 'python:3.12' }, { exitCode: 0, afterSeconds: 0.1 }],
    ['an interpreter with a program', { image: 'node:20', command: ['node', 'server.js'] }, { forever: true }],
    ['php serves', { image: 'php:8.3-apache' }, { forever: true }],
    ['curl without an address', { image: 'curlimages/curl:8.5.0' }, { exitCode: 2 }],
    ['curl with one', { image: 'curlimages/curl', args: ['-sf', 'http://web'] }, { exitCode: 0 }],
    ['curl that only waits', { image: 'curlimages/curl', command: ['sleep', 'infinity'] }, { forever: true }],
    ['kubectl', { image: 'bitnami/kubectl', args: ['get', 'pods'] }, { exitCode: 0 }],
    ['kubectl as a proxy', { image: 'bitnami/kubectl', args: ['proxy', '--port=8001'] }, { forever: true }],
    [
      'argocd as a tool',
      { image: 'quay.io/argoproj/argocd:v3.1.0', command: ['argocd', 'admin', 'redis-initial-password'] },
      { exitCode: 0, afterSeconds: 2 },
    ],
    ['redis', { image: 'redis:7.4-alpine', args: ['--appendonly', 'yes'] }, { forever: true }],
    ['pause', { image: 'registry.k8s.io/pause:3.10' }, { forever: true }],
    ['hello-world', { image: 'hello-world' }, { exitCode: 0 }],
    ['agnhost', { image: 'registry.k8s.io/e2e-test-images/agnhost:2.53', args: ['netexec'] }, { forever: true }],
    ['bitnami wants a password', { image: 'bitnami/postgresql:16' }, { exitCode: 1 }],
    [
      'bitnami may go without',
      { image: 'bitnami/redis', env: [{ name: 'ALLOW_EMPTY_PASSWORD', value: 'yes' }] },
      { forever: true },
    ],
    ['a licence that nobody has accepted', { image: 'mcr.microsoft.com/mssql/server:2022-latest' }, { exitCode: 1 }],
    ['of nobody in particular', { image: 'ghcr.io/acme/app:1' }, { forever: true }],
  ])('%s', (_name, container, run) => {
    expect(runOfContainer(container)).toMatchObject(run)
  })

  it('answer probes as their tutorials say', () => {
    const liveness = workloads.container(
      pod({ image: 'registry.k8s.io/e2e-test-images/agnhost:2.40', args: ['liveness'] }),
      'app',
    ).probes?.liveness
    expect(liveness?.map(({ fromSeconds, result }) => [fromSeconds, result])).toEqual([
      [0, 'success'],
      [10, 'failure'],
    ])
  })

  it('shells ignore SIGTERM whatever image they come from', () => {
    expect(workloads.container(pod({ image: 'nginx', command: ['sleep', '99'] }), 'app').onSigterm).toBe('ignored')
    expect(workloads.container(pod({ image: 'nginx' }), 'app').onSigterm).toMatchObject({ exitCode: 0 })
  })

  it.each<[string, string | undefined]>([
    ['nginx:1.27', ''],
    ['nginxinc/nginx-unprivileged:1.27', '101'],
    ['docker.io/library/postgres:17-alpine', ''],
    ['quay.io/argoproj/argocd:v3.1.0', '999'],
    ['gcr.io/distroless/static:nonroot', '65532'],
    ['prom/prometheus:v3.5.0', 'nobody'],
    ['ghcr.io/acme/app:1', undefined],
  ])('%s runs as %j', (image, user) => {
    expect(workloads.image(image).user).toBe(user)
  })

  it('say which rule decided', () => {
    expect(workloads.rulesFor(pod({ image: 'nginx' }), 'app')).toContainEqual({
      field: 'onSigterm',
      rule: 'built-in profile nginx',
    })
    const user = { field: 'image.user', rule: 'built-in profile user of nginx' }
    expect(workloads.rulesFor(pod({ image: 'nginx' }), 'app')).not.toContainEqual(user)
    expect(workloads.rulesFor(pod({ image: 'nginx', securityContext: { runAsNonRoot: true } }), 'app')).toContainEqual(
      user,
    )
    expect(workloads.rulesFor(pod({ image: 'ghcr.io/acme/app' }), 'app')).toEqual([
      { field: 'runs', rule: 'its command' },
    ])
    expect(workloads.rulesFor(pod({ image: 'ghcr.io/acme/app:does-not-exist' }), 'app')).toContainEqual({
      field: 'image.pulls',
      rule: 'the name of its image (no registry is asked)',
    })
  })
})
