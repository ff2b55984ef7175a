// Cleans up tokens in Secrets that nobody uses, looking once a day.
// Reads: Secrets, ServiceAccounts, Pods, ConfigMap kube-apiserver-legacy-service-account-token-tracking.
// Writes: Secrets (label, delete).

import { isConflict, isNotFound } from '#api'
import { ConfigMap, Pod, referencedObjects, Secret, ServiceAccount } from '#kinds'
import { done, type Index, type Kit, type Outcome, requeueAfter } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { findLive } from '../live.ts'
import { accountOf, dayOf, decideFate, invalidLabel, isTrackedLongEnough, tokenType } from './decide.ts'

const everyMs = 86_400_000
const tracking = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' }

const tokens: Index<Secret> = {
  name: 'token',
  kind: Secret,
  values: ({ type }) => (type === tokenType ? ['yes'] : []),
}

export const legacyTokenCleaner = defineController({
  name: 'legacytokencleaner',
  account: 'legacy-service-account-token-cleaner',
  watches: [],
  reads: [Secret, ServiceAccount, Pod],
  startKeys: ['*'],
  workers: 1,
  reconcile,
})

async function reconcile(_key: string, kit: Kit): Promise<Outcome> {
  const now = kit.world.clock.now()
  const since = (await findLive(kit, ConfigMap, tracking))?.data?.['since']
  if (isTrackedLongEnough(since, now)) for (const secret of kit.cache.by(tokens, 'yes')) await look(kit, secret, now)
  return requeueAfter(everyMs)
}

async function look(kit: Kit, secret: Secret, now: number): Promise<Outcome> {
  const { namespace = '', name = '', uid, resourceVersion } = secret.metadata
  const account = kit.cache.get(ServiceAccount, `${namespace}/${accountOf(secret) ?? ''}`)
  const isMounted = (): boolean => kit.cache.list(Pod, namespace).some((pod) => names(pod, name))
  const fate = decideFate({ secret, account, isMounted, now })
  try {
    if (fate === 'marked') {
      const metadata = { uid, labels: { [invalidLabel]: dayOf(now) } }
      await kit.client.patch(Secret, refOf(secret), { metadata }, { type: 'application/merge-patch+json' })
    }
    if (fate === 'goes')
      await kit.client.delete(Secret, refOf(secret), {
        preconditions: resourceVersion === undefined ? {} : { resourceVersion },
      })
  } catch (error) {
    // It has changed or gone: it is looked at again tomorrow.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
  return done()
}

const names = (pod: Pod, secret: string): boolean =>
  referencedObjects(pod).some(({ resource, name }) => resource === 'secrets' && name === secret)
