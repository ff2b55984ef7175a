// Names and shape of the root Application.
import { describe, expect, it } from 'vitest'
import { nameOf, rootApplication } from './root-application.ts'

describe('root application', () => {
  it.each([
    ['/home/ann/My Shop/', 'my-shop'],
    ['/srv/demo-repo', 'demo-repo'],
    ['https://github.com/acme/Platform.git', 'platform'],
    ['git@example.com:acme/app_one.git', 'app-one'],
    ['/', 'root'],
    [`/x/${'a'.repeat(80)}`, 'a'.repeat(63)],
  ])('%s is named %s', (location, name) => expect(nameOf(location)).toBe(name))

  it('is automated unless told otherwise', () => {
    const options = { location: '/srv/shop', manual: false }
    expect(rootApplication(options).spec).toEqual({
      project: 'default',
      source: { repoURL: '/srv/shop', path: '.', targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    })
    const manual = rootApplication({ ...options, manual: true, path: 'apps', revision: 'v1' }).spec
    expect(manual.syncPolicy).toBeUndefined()
    expect(manual.source).toMatchObject({ path: 'apps', targetRevision: 'v1' })
  })
})
