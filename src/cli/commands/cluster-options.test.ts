import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { CommandError } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { clusterPart } from './cluster-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeostat-contexts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const terminal = { cwd: folder, env: { HOME: folder, KUBECONFIG: '' } } as unknown as Terminal

function kubeconfig(file: string, contexts: Readonly<Record<string, { server: string; user?: object }>>): void {
  const named = (key: string, value: (of: { server: string; user?: object }, name: string) => object) =>
    Object.entries(contexts).map(([name, of]) => ({ name, [key]: value(of, name) }))
  const config = {
    clusters: named('cluster', ({ server }) => ({ server })),
    users: named('user', ({ user }) => user ?? { token: 'secret' }),
    contexts: named('context', (_, name) => ({ cluster: name, user: name })),
  }
  writeFileSync(join(folder, file), JSON.stringify(config))
}

kubeconfig('two.yaml', { a: { server: 'https://a' }, b: { server: 'https://b' } })
kubeconfig('same.yaml', { a: { server: 'https://a' }, other: { server: 'https://a' } })
const exec = { command: 'bin/sign-in', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'IfAvailable' }
kubeconfig('exec.yaml', {
  cloud: { server: 'https://c', user: { exec } },
  asking: { server: 'https://d', user: { exec: { ...exec, interactiveMode: 'Always' } } },
  old: { server: 'https://e', user: { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
})

const names = (flags: Parameters<typeof clusterPart>[1]) =>
  clusterPart(terminal, flags).clusters?.contexts?.map(({ name, connection }) => `${name} ${connection.server}`)

it('takes the contexts that are named, or all, and never one that is not', () => {
  expect(clusterPart(terminal, {})).toEqual({
    clusters: { contexts: [], trustsGit: false, commands: { commands: [], variables: [] } },
  })
  expect(names({ kubeconfig: 'two.yaml', context: ['b', 'b'] })).toEqual(['b https://b'])
  expect(names({ kubeconfig: 'two.yaml', allContexts: true })).toEqual(['a https://a', 'b https://b'])
  expect(clusterPart(terminal, { clustersFromGit: true }).clusters?.trustsGit).toBe(true)
})

it('takes the command of a context from beside its kubeconfig, and those that Secrets may sign in by, in words', () => {
  const [context] = clusterPart(terminal, { kubeconfig: 'exec.yaml', context: ['cloud'] }).clusters?.contexts ?? []
  expect(context?.connection.exec?.command).toBe(join(folder, 'bin/sign-in'))
  const { commands } =
    clusterPart(terminal, { clusterCommand: ['/bin/sh  -c x'], clusterCommandEnv: ['A'] }).clusters ?? {}
  expect(commands).toEqual({ commands: [['/bin/sh', '-c', 'x']], variables: ['A'] })
})

it.each([
  [{ kubeconfig: 'two.yaml' }, 'say which of its contexts applications may deploy to'],
  [{ kubeconfig: 'two.yaml', context: ['c'] }, '--context c: there is no such context'],
  [{ kubeconfig: 'none.yaml', context: ['c'] }, 'cannot read the kubeconfig'],
  [{ context: ['c'] }, 'there is no kubeconfig at'],
  [{ kubeconfig: 'same.yaml', allContexts: true as const }, 'contexts a and other lead to the same server https://a'],
  [{ kubeconfig: 'exec.yaml', context: ['asking'] }, 'wants to ask somebody (interactiveMode: Always)'],
  [{ kubeconfig: 'exec.yaml', context: ['old'] }, 'exec has the apiVersion "client.authentication.k8s.io/v1alpha1"'],
  [{ clusterCommand: ['no-such-program get-token'] }, 'no-such-program is neither on PATH nor the whole path'],
  [{ clusterCommand: [' '] }, 'is neither on PATH'],
  [{ clusterCommand: ['../sh'] }, 'is neither on PATH'],
])('refuses %j', (flags, message) => {
  expect(() => clusterPart(terminal, flags)).toThrow(CommandError)
  expect(() => clusterPart(terminal, flags)).toThrow(message)
})
