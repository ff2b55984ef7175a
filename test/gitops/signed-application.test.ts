// Applications of a project that asks for signatures: what is not signed as it wants is shown, and never applied.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppProject, ConfigMap } from '#kinds'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'
import { signCommit, signTag } from './signing/signed-commit.ts'
import { openPgpSigner, type Signer, sshSigner } from './signing/signer.ts'

let lab: Lab
beforeEach(async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '0') } })
})
afterEach(() => lab.stop())

async function project(...signers: readonly Pick<Signer, 'keyId'>[]): Promise<void> {
  const signatureKeys = signers.map(({ keyId }) => ({ keyID: keyId }))
  await lab.client.create(AppProject, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'strict', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      signatureKeys,
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  })
}

async function keys(...signers: readonly Signer[]): Promise<void> {
  const data = Object.fromEntries(signers.map(({ keyId, publicKey }) => [keyId, publicKey]))
  const metadata = { name: 'argocd-gpg-keys-cm', namespace: 'argocd' }
  await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
}

async function create(targetRevision = 'HEAD'): Promise<void> {
  const app = application('web', lab.repo, { automated: auto })
  const source = { ...app.spec.source, repoURL: lab.repo.path, targetRevision }
  await lab.create({ ...app, spec: { ...app.spec, project: 'strict', source } })
}

const moved = async (): Promise<void> => {
  lab.gitops.repositoryChanged(lab.repo.path)
  await lab.world.settle()
}
const condition = async (): Promise<string> =>
  (await lab.app('web'))?.status?.conditions?.map(({ type, message }) => `${type}: ${message}`).join() ?? ''
const until = async (message: RegExp): Promise<void> => lab.until(async () => message.test(await condition()))
const applied = async (): Promise<string | undefined> =>
  (await lab.find(ConfigMap, { namespace: 'shop', name: 'a' }))?.data?.['key']

test('a revision that nobody signed is neither synced by itself nor by hand', async () => {
  await project(openPgpSigner())
  await create()
  const revision = lab.repo.git('rev-parse', 'HEAD')
  const message = `Target revision ${revision} in Git is not signed, but a signature is required`
  await lab.until(async () => (await condition()) === `ComparisonError: ${message}`)
  expect((await lab.app('web'))?.status?.sync?.status).toBe('OutOfSync')
  await lab.world.advance(400_000)
  expect((await lab.app('web'))?.status?.operationState).toBeUndefined()
  await lab.sync('web')
  await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Error')
  expect((await lab.app('web'))?.status?.operationState?.message).toBe(`ComparisonError: ${message}`)
  expect(await applied()).toBeUndefined()
})

test('a commit that an allowed PGP key signed is synced, as soon as the key is there; others are not', async () => {
  const [signer, other] = [openPgpSigner(), openPgpSigner()]
  await project(signer)
  const first = signCommit(lab.repo, signer, { 'web/a.yaml': configMap('a', '1') })
  await moved()
  await create()
  await until(
    new RegExp(
      `^ComparisonError: Could not verify commit signature on revision '${first}': .* has no key ${signer.keyId}`,
    ),
  )
  await keys(signer, other)
  await lab.settled('web')
  expect(await applied()).toBe('1')
  signCommit(lab.repo, other, { 'web/a.yaml': configMap('a', '2') })
  await moved()
  await until(
    new RegExp(
      `^ComparisonError: Found good signature made with EDDSA key ${other.keyId}, but this key is not allowed in AppProject$`,
    ),
  )
  const forged: Signer = { ...signer, sign: () => signer.sign('something else') }
  signCommit(lab.repo, forged, { 'web/a.yaml': configMap('a', '3') })
  await moved()
  await until(
    new RegExp(
      `^ComparisonError: Found signature made with EDDSA key ${signer.keyId}, but verification result was invalid: 'BAD`,
    ),
  )
  // A signed commit before it does not make an unsigned one good.
  await lab.commit({ 'web/a.yaml': configMap('a', '4') })
  await until(/is not signed, but a signature is required$/)
  expect(await applied()).toBe('1')
  signCommit(lab.repo, signer, { 'web/a.yaml': configMap('a', '5') })
  await moved()
  await lab.until(async () => (await applied()) === '5')
  expect(await condition()).toBe('')
})

test('an ssh key is allowed by its fingerprint', async () => {
  const signer = sshSigner()
  await project(signer)
  signCommit(lab.repo, signer, { 'web/a.yaml': configMap('a', '1') })
  await moved()
  await create()
  await lab.settled('web')
  expect(await applied()).toBe('1')
  const other = sshSigner()
  signCommit(lab.repo, other, { 'web/a.yaml': configMap('a', '2') })
  await moved()
  await lab.until(async () => (await condition()).includes(`made with ED25519 key ${other.keyId}, but this key is not`))
  expect(await applied()).toBe('1')
})

test('of an annotated tag the tag is what must be signed', async () => {
  const signer = openPgpSigner()
  await project(signer)
  await keys(signer)
  lab.repo.commit({ 'web/a.yaml': configMap('a', '1') })
  signTag(lab.repo, signer, 'v1')
  lab.repo.git('tag', '-a', 'v0', '-m', 'unsigned')
  await moved()
  await create('v1')
  await lab.settled('web')
  expect(await applied()).toBe('1')
  await lab.sync('web', { sync: { revision: lab.repo.git('rev-parse', 'HEAD') } })
  await lab.settled('web')
  expect((await lab.app('web'))?.status?.operationState?.phase).toBe('Succeeded')
  const source = { targetRevision: 'v0' }
  await lab.patch('web', { spec: { source } })
  await until(/is not signed, but a signature is required$/)
})
