// Plays what `argocd admin redis-initial-password` does: it makes the Secret with the password for Redis, which all parts of
// Argo CD wait for. One that is there stays.
// Reads: Pods, Secrets.  Writes: Secrets.

import { isAlreadyExists } from '#api'
import { Pod, Secret } from '#kinds'
import { objectKey } from '#objects'
import { done, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { hasBegun, isPasswordMaker } from './decide.ts'

const secretName = 'argocd-redis'
const passwordDigits = 16
const none: readonly string[] = []

export const redisSecretController = defineController({
  name: 'redis-secret-init',
  account: 'redis-secret-init',
  manager: 'argocd',
  reconciles: Pod,
  watches: [watching(Pod, (pod) => (isPasswordMaker(pod) && hasBegun(pod) ? [objectKey(pod)] : none))],
  reads: [Secret],
  async reconcile(key, { cache, client, world }) {
    const pod = cache.get(Pod, key)
    if (pod === undefined || !isPasswordMaker(pod) || !hasBegun(pod)) return done()
    const { namespace = '' } = pod.metadata
    if (cache.get(Secret, `${namespace}/${secretName}`) !== undefined) return done()
    try {
      await client.create(Secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secretName, namespace },
        type: 'Opaque',
        data: { auth: btoa(world.random.hex(passwordDigits)) },
      })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    return done()
  },
})
