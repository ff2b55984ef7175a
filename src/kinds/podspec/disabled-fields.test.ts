import { expect, it } from 'vitest'
import type { Container, PodSpec } from '../generated/types.ts'
import { withoutDisabled } from './disabled-fields.ts'

const app: Container = { name: 'app', image: 'app:1' }

it.each<[string, Partial<PodSpec>, Partial<PodSpec>]>([
  ['a host name', { hostnameOverride: 'h' } as Partial<PodSpec>, {}],
  ['a stop signal', { containers: [{ ...app, lifecycle: { stopSignal: 'SIGUSR1' } }] }, {}],
  ['a policy of a container', { containers: [{ ...app, restartPolicy: 'Never' }] }, {}],
  [
    'a variable from a file',
    {
      containers: [
        { ...app, env: [{ name: 'A', valueFrom: { fileKeyRef: { key: 'k', path: 'p', volumeName: 'v' } } }] },
      ],
    } as Partial<PodSpec>,
    { containers: [{ ...app, env: [{ name: 'A', valueFrom: {} }] }] },
  ],
  [
    'a bundle of trust',
    { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } }] },
    { volumes: [{ name: 'v', projected: { sources: [{}] } }] },
  ],
  [
    'a volume that is an image, with its mounts',
    {
      volumes: [
        { name: 'v', image: { reference: 'r' } },
        { name: 'e', emptyDir: {} },
      ],
      containers: [
        {
          ...app,
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'e', mountPath: '/e' },
          ],
        },
      ],
      initContainers: [{ ...app, name: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    },
    {
      volumes: [{ name: 'e', emptyDir: {} }],
      containers: [{ ...app, volumeMounts: [{ name: 'e', mountPath: '/e' }] }],
      initContainers: [{ ...app, name: 'i' }],
    },
  ],
])('drops %s', (_what, spec, expected) => {
  expect(withoutDisabled({ containers: [app], ...spec })).toEqual({ containers: [app], ...expected })
})

it('keeps the policy of a sidecar, and a spec without such fields as it is', () => {
  const spec: PodSpec = { containers: [app], initContainers: [{ ...app, name: 'i', restartPolicy: 'Always' }] }
  expect(withoutDisabled(spec)).toBe(spec)
})
