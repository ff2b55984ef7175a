// A controller in a process of its own against `homeostat apiserver` in another one: what the documentation promises to those
// who test their controllers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type V1Deployment,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ApiServerProcess, startApiServerProcess } from '../support/daemon-process.ts'
import { configOf } from './server.ts'
import { group, plural, version, type Website, websiteDefinition } from './website.ts'

const namespace = 'default'
const at = { group, version, plural, namespace }
const patient = { timeout: 20_000 }

let server: ApiServerProcess
let controller: ChildProcess | undefined
let config: KubeConfig
let custom: CustomObjectsApi
let apps: AppsV1Api
beforeAll(async () => {
  server = await startApiServerProcess('--loops', 'all', '--nodes', '1', '--instant')
  config = configOf(server.kubeconfig)
  custom = config.makeApiClient(CustomObjectsApi)
  apps = config.makeApiClient(AppsV1Api)
  const definitions = config.makeApiClient(ApiextensionsV1Api)
  const { name = '' } = websiteDefinition.metadata ?? {}
  await definitions.createCustomResourceDefinition({ body: websiteDefinition })
  await vi.waitFor(async () => {
    const { status } = await definitions.readCustomResourceDefinition({ name })
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }))
  }, patient)
  const program = join(import.meta.dirname, 'website-controller.ts')
  controller = spawn(process.execPath, ['--import', 'tsx', program, server.kubeconfig], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
})
afterAll(async () => {
  if (controller !== undefined) {
    const ended = once(controller, 'close')
    controller.kill('SIGKILL')
    await ended
  }
  expect(await server.stop()).toBe(0)
})

const website = (name: string, spec: object): object => ({
  apiVersion: `${group}/${version}`,
  kind: 'Website',
  metadata: { name, namespace },
  spec,
})

const deployment = async (name: string): Promise<V1Deployment | undefined> => {
  try {
    return await apps.readNamespacedDeployment({ name, namespace })
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined
    throw error
  }
}

describe('a controller of Websites', () => {
  it('makes a Deployment and a Service, and reports what became of them', async () => {
    await custom.createNamespacedCustomObject({ ...at, body: website('home', { html: 'hello' }) })
    await expect
      .poll(async () => ((await custom.getNamespacedCustomObject({ ...at, name: 'home' })) as Website).status, patient)
      .toEqual({ observedGeneration: 1, availableReplicas: 2 })
    const service = await config.makeApiClient(CoreV1Api).readNamespacedService({ name: 'home', namespace })
    expect(service.spec?.clusterIP).toMatch(/^10\.96\./)
    expect(service.metadata?.ownerReferences).toMatchObject([{ kind: 'Website', name: 'home', controller: true }])
  })

  it('follows changes, and sets back what others change', async () => {
    const change = [{ op: 'replace', path: '/spec/html', value: 'changed' }]
    await custom.patchNamespacedCustomObject({ ...at, name: 'home', body: change })
    const html = async () => (await deployment('home'))?.spec?.template.spec?.containers[0]?.env?.[0]?.value
    await expect.poll(html, patient).toBe('changed')
    await apps.patchNamespacedDeploymentScale({
      name: 'home',
      namespace,
      body: [{ op: 'replace', path: '/spec/replicas', value: 7 }],
    })
    await expect.poll(async () => (await deployment('home'))?.spec?.replicas, patient).toBe(2)
    await apps.deleteNamespacedDeployment({ name: 'home', namespace })
    await expect.poll(async () => (await deployment('home'))?.status?.availableReplicas, patient).toBe(2)
  })

  it('is spared what the definition does not allow', async () => {
    const refused = custom.createNamespacedCustomObject({ ...at, body: website('bad', { replicas: -1 }) })
    await expect(refused).rejects.toThrow(/spec\.html: Required value/)
  })

  it('leaves it to the garbage collector to remove what a Website owned', async () => {
    await custom.deleteNamespacedCustomObject({ ...at, name: 'home' })
    await expect.poll(() => deployment('home'), patient).toBeUndefined()
    const pods = () => config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace })
    await expect.poll(async () => (await pods()).items.length, { timeout: 60_000 }).toBe(0)
  }, 90_000)
})
