// Whether what git says is signed as the application's project wants it: by one of its signature keys, with the PGP keys of
// the ConfigMap argocd-gpg-keys-cm. Charts are not signed by git, and are left out. Texts are Argo CD's.

import { type Keyring, readKeyring, type Verdict, verifySignature } from '#gitops/signatures'
import { type Repository, SourceError } from '#gitops/source'
import { type Application, AppProject, ConfigMap, type SignatureKey } from '#kinds'
import type { Cache } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { argocdNamespace, projectKey } from '../application/names.ts'
import type { SourceSet } from '../application/source-set.ts'

export interface SignatureInput {
  readonly app: Application
  readonly set: SourceSet
  /** For each source what was resolved; where it is missing, what the source says. */
  readonly revisions: readonly (string | undefined)[]
  readonly repositories: readonly Repository[]
  readonly cache: Cache
  readonly now: number
}

const sshPrefix = 'SHA256:'
const keysName = 'argocd-gpg-keys-cm'
const keysKey = `${argocdNamespace}/${keysName}`

export const isSigningKeys = ({ metadata }: ConfigMap): boolean =>
  metadata.namespace === argocdNamespace && metadata.name === keysName

const allowedKeys = ({ app, cache }: Pick<SignatureInput, 'app' | 'cache'>): readonly SignatureKey[] =>
  cache.get(AppProject, projectKey(app))?.spec.signatureKeys ?? []

/** What is sent along with a sync is in no commit, so nobody signed it. */
export const signatureFaultOfManifests = (input: Pick<SignatureInput, 'app' | 'cache'>): readonly Finding[] =>
  allowedKeys(input).length === 0
    ? []
    : [
        {
          type: 'ComparisonError',
          message: 'Cannot use local manifests when signature verification is required',
        },
      ]

/** `resolved` has the commit of each source. Nothing is found where the project asks for no signatures. */
export async function signatureFindings(
  input: SignatureInput,
  resolved: readonly string[],
): Promise<readonly Finding[]> {
  const { set } = input
  const allowed = allowedKeys(input)
  if (allowed.length === 0) return []
  const findings: Finding[] = []
  for (const [index, source] of set.sources.entries()) {
    const commit = resolved[index] ?? ''
    const repository = input.repositories[index]
    if (repository === undefined || (source.chart ?? '') !== '') continue
    // An operation names the commit of a tag: where it is still that of the source's own revision, the tag is what is signed.
    const names = [source.targetRevision ?? '', input.revisions[index] ?? '', commit]
    const message = await faultOf({ ...input, repository, commit, names, allowed })
    if (message !== undefined) findings.push({ type: 'ComparisonError', message })
  }
  return findings
}

interface Checked extends Pick<SignatureInput, 'cache' | 'now'> {
  readonly repository: Repository
  readonly commit: string
  readonly names: readonly string[]
  readonly allowed: readonly SignatureKey[]
}

async function faultOf(checked: Checked): Promise<string | undefined> {
  const { repository, commit, names, cache, now, allowed } = checked
  const signed = await signedAs(repository, commit, names)
  if (signed === undefined || signed.signature === '')
    return `Target revision ${commit} in Git is not signed, but a signature is required`
  return faultText(verifySignature(signed, keyringOf(cache), now), commit, allowed)
}

/** By the first of the names that means the commit. */
async function signedAs(repository: Repository, commit: string, names: readonly string[]) {
  for (const name of new Set(names)) {
    try {
      const signed = await repository.signed(name)
      if (signed?.commit === commit) return signed
    } catch (error) {
      // Another name may mean it.
      if (!(error instanceof SourceError)) throw error
    }
  }
  return undefined
}

function faultText(verdict: Verdict, commit: string, allowed: readonly SignatureKey[]): string | undefined {
  const unverified = `Could not verify commit signature on revision '${commit}'`
  switch (verdict.result) {
    case 'unreadable':
      return `${unverified}: ${verdict.message}`
    case 'unknown':
      return `${unverified}: the ConfigMap ${argocdNamespace}/${keysName} has no key ${verdict.keyId} that can be used`
    case 'invalid':
      return `Found signature made with ${verdict.cipher} key ${verdict.keyId}, but verification result was invalid: '${verdict.message}'`
    case 'good':
      return isAllowed(verdict.names, allowed)
        ? undefined
        : `Found good signature made with ${verdict.cipher} key ${verdict.keyId}, but this key is not allowed in AppProject`
  }
}

/** PGP keys are called by their whole fingerprint or by its last 16 digits; less could be many keys. */
function isAllowed(names: readonly string[], allowed: readonly SignatureKey[]): boolean {
  return allowed.some(({ keyID }) => {
    if (keyID.startsWith(sshPrefix)) return names.includes(keyID.replace(/=+$/, ''))
    const digits = keyID.replace(/^0x/i, '').toUpperCase()
    return (
      /^([0-9A-F]{16}|[0-9A-F]{40})$/.test(digits) &&
      names.some((name) => !name.startsWith(sshPrefix) && name.endsWith(digits))
    )
  })
}

const keyrings = new WeakMap<ConfigMap, Keyring>()

/** Read once, as long as the ConfigMap stays as it is. */
function keyringOf(cache: Cache): Keyring {
  const map = cache.get(ConfigMap, keysKey)
  if (map === undefined) return { keys: [], faults: [] }
  const known = keyrings.get(map) ?? readKeyring(map.data ?? {})
  keyrings.set(map, known)
  return known
}
