import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contextsOf, readKubeconfig, readKubeconfigFile } from './kubeconfig.ts'

const v1 = 'client.authentication.k8s.io/v1'

const config = (user: string): string => `
apiVersion: v1
kind: Config
current-context: local
contexts:
- name: other
  context: {cluster: main, user: nobody}
- name: local
  context: {cluster: main, user: me, namespace: shop}
clusters:
- name: main
  cluster:
    server: https://127.0.0.1:6443/
    certificate-authority-data: ${Buffer.from('PEM').toString('base64')}
users:
- name: me
  user: ${user}
`

describe('kubeconfig', () => {
  it('gives the connection of the current context', () => {
    const { token, ...rest } = readKubeconfig(config('{token: abc}'))
    expect(rest).toEqual({ server: 'https://127.0.0.1:6443', ca: 'PEM', namespace: 'shop' })
    expect(token?.()).toBe('abc')
    expect(contextsOf(config('{}'))).toEqual(['local', 'other'])
  })

  it('reads files relative to itself, and a token file at every use', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
    writeFileSync(join(folder, 'token'), 'first\n')
    writeFileSync(join(folder, 'config'), config('{tokenFile: token}'))
    const { token } = readKubeconfigFile(join(folder, 'config'))
    expect(token?.()).toBe('first')
    writeFileSync(join(folder, 'token'), 'second')
    expect(token?.()).toBe('second')
  })

  it('takes a command to sign in by, with what it is told, and the proxy of the cluster', () => {
    const told = `extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]
    proxy-url: http://proxy:3128
    server:`
    const exec = `{command: aws, apiVersion: ${v1}, args: [eks], env: [{name: A, value: b}], provideClusterInfo: true}`
    expect(readKubeconfig(config(`{exec: ${exec}}`).replace('server:', told))).toMatchObject({
      proxyUrl: 'http://proxy:3128',
      exec: {
        command: 'aws',
        arguments: ['eks'],
        environment: { A: 'b' },
        cluster: {
          server: 'https://127.0.0.1:6443/',
          'certificate-authority-data': Buffer.from('PEM').toString('base64'),
          config: { audience: 'x' },
        },
      },
    })
    expect(readKubeconfig(config(`{token: abc, exec: ${exec}}`)).exec).toBeUndefined()
  })

  it('says in one line what is wrong', () => {
    expect(() => readKubeconfig(config('{exec: {command: aws}}'))).toThrow('user me: exec has the apiVersion ""')
    expect(() => readKubeconfig(config(`{exec: {command: aws, apiVersion: ${v1}, args: aws}}`))).toThrow(
      'user me: exec.args is no list of texts',
    )
    expect(() => readKubeconfig(config('{auth-provider: {name: gcp}}'))).toThrow('auth-provider is not supported')
    expect(() => readKubeconfig(config('{}').replace('server:', 'proxy-url: socks5://a:b@c\n    server:'))).toThrow(
      'cluster main: proxy-url: a proxy must begin with http:// or https://, not socks5://',
    )
    expect(() => readKubeconfig(config('{}'), { context: 'other' })).toThrow('no entry nobody under users')
    expect(() => readKubeconfig(config('{}'), { context: 'gone' })).toThrow('no entry gone under contexts')
    expect(() => readKubeconfig('a: 1')).toThrow('names no current-context')
    expect(() => readKubeconfigFile('/nowhere/config')).toThrow('cannot read the kubeconfig /nowhere/config')
  })
})
