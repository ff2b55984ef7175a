import { describe, expect, it } from 'vitest'
import { imageNameFault, parseImage } from './image-reference.ts'

describe('imageNameFault', () => {
  const digest = 'a'.repeat(64)
  it.each<[string, string | undefined]>([
    ['nginx', undefined],
    ['nginx:1.27', undefined],
    [`nginx:1.27@sha256:${digest}`, undefined],
    ['localhost:5000/app', undefined],
    // A first part with a capital letter can only be a registry.
    ['Team/app:1', undefined],
    ['Nginx', 'invalid reference format: repository name (library/Nginx) must be lowercase'],
    ['team/App:1.0', 'invalid reference format: repository name (team/App) must be lowercase'],
    ['localhost:5000/App:1.0', 'invalid reference format: repository name (App) must be lowercase'],
    [`App@sha256:${digest}`, 'invalid reference format: repository name (library/App@sha256) must be lowercase'],
    ['nginx:1:x', 'invalid reference format'],
    ['http://example.com/app', 'invalid reference format'],
    ['nginx:', 'invalid reference format'],
    ['a b', 'invalid reference format'],
    ['-nginx', 'invalid reference format'],
    ['nginx@sha256:abc', 'invalid reference format'],
    [`nginx@sha256:${'a'.repeat(40)}`, 'invalid checksum digest length'],
    [`nginx@md5:${'a'.repeat(32)}`, 'unsupported digest algorithm'],
    [digest, `invalid repository name (${digest}), cannot specify 64-byte hexadecimal strings`],
    [`example.com/${'a'.repeat(250)}`, 'repository name must not be more than 255 characters'],
  ])('%s', (image, fault) => {
    expect(imageNameFault(image)).toBe(fault)
  })
})

describe('parseImage', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['bitnami/redis:7', 'docker.io/bitnami/redis:7'],
    ['docker.io/nginx:1', 'docker.io/library/nginx:1'],
    ['index.docker.io/library/nginx', 'docker.io/library/nginx:latest'],
    ['localhost/app', 'localhost/app:latest'],
    [`ghcr.io/a/b:1@sha256:${'0'.repeat(64)}`, `ghcr.io/a/b@sha256:${'0'.repeat(64)}`],
  ])('%s', (image, full) => {
    expect(parseImage(image)?.full).toBe(full)
  })
})
