import { describe, expect, it } from 'vitest'
import type { PodSpec } from '#kinds'
import { checks } from './checks.ts'

const breach = (id: string, spec: object): string | undefined => {
  const found = checks.findLast((check) => check.id === id)?.find({ containers: [{ name: 'a' }], ...spec } as PodSpec)
  return found === undefined ? undefined : `${found.reason} (${found.detail})`
}

const one = (securityContext: object): object => ({ containers: [{ name: 'a', securityContext }] })

describe('checks', () => {
  const cases: readonly [id: string, spec: object, text: string | undefined][] = [
    ['hostNamespaces', { hostPID: true, hostNetwork: true }, 'host namespaces (hostNetwork=true, hostPID=true)'],
    ['hostPathVolumes', { volumes: [{ name: 'h', hostPath: { path: '/' } }] }, 'hostPath volumes (volume "h")'],
    [
      'hostPorts',
      { containers: [{ name: 'a', ports: [{ hostPort: 80 }] }] },
      'hostPort (container "a" uses hostPort 80)',
    ],
    [
      'privileged',
      one({ privileged: true }),
      'privileged (container "a" must not set securityContext.privileged=true)',
    ],
    [
      'capabilities_baseline',
      one({ capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } }),
      'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    ['capabilities_restricted', one({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }), undefined],
    [
      'capabilities_restricted',
      {},
      'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])',
    ],
    ['runAsNonRoot', { securityContext: { runAsNonRoot: true } }, undefined],
    ['runAsNonRoot', {}, 'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)'],
    ['seccompProfile_restricted', { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }, undefined],
    [
      'seccompProfile_baseline',
      one({ seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'restrictedVolumes',
      {
        volumes: [
          { name: 'n', nfs: {} },
          { name: 'e', emptyDir: {} },
        ],
      },
      'restricted volume types (volume "n" uses restricted volume type "nfs")',
    ],
    ['sysctls', { securityContext: { sysctls: [{ name: 'kernel.msgmax' }] } }, 'forbidden sysctls (kernel.msgmax)'],
  ]
  it.each(cases)('%s %j', (id, spec, text) => {
    expect(breach(id, spec)).toBe(text)
  })
})
