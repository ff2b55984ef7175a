// Tokens that stand in Secrets, which Kubernetes wants to be rid of: when one was used last is noted on its Secret, by the
// day, and one whose Secret is marked as unused for too long is good no more. Since when this is noted stands in a ConfigMap;
// the marks are set by the loop that cleans up.

import { ConfigMap, Secret } from '#kinds'
import { formatTime, type KubeObject } from '#objects'
import type { Core } from '../core.ts'
import { ensureObject } from '../ensure-object.ts'
import { withMetadata } from '../object-meta.ts'
import { rewrite } from '../rewrite.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
const invalidLabel = 'kubernetes.io/legacy-token-invalid-since'
const tracking = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' }
export const trackingKey = `${tracking.namespace}/${tracking.name}`
const dayMs = 86_400_000

const dayOf = (ms: number): string => formatTime(ms).slice(0, 10)
const isDay = (text: string | undefined): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''))

/** A mark that is no day is made anew. */
export function ensureTracking(core: Core): void {
  const since = dayOf(core.world.clock.now())
  ensureObject(core, ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: tracking,
    data: { since },
  } as KubeObject)
  const served = core.registry.find(ConfigMap)
  const entry = served === undefined ? undefined : core.store.get(served.bucket, trackingKey)
  if (served === undefined || entry === undefined) return
  const data = entry.value['data'] as ConfigMap['data']
  if (!isDay(data?.['since'])) rewrite(core, served, entry, { ...entry.value, data: { ...data, since } })
}

/** The tokens, with an eye on those that stand in Secrets. */
export function watchLegacyTokens(tokens: ServiceAccountTokens, core: () => Core): ServiceAccountTokens {
  return {
    issue: (order) => tokens.issue(order),
    publicKey: () => tokens.publicKey(),
    verify(token) {
      const found = tokens.verify(token)
      return found?.secret === undefined || noteUse(core(), found.secret) ? found : undefined
    },
  }
}

/** Whether the Secret's token is still good. */
function noteUse(core: Core, key: string): boolean {
  const served = core.registry.find(Secret)
  const entry = served === undefined ? undefined : core.store.get(served.bucket, key)
  if (served === undefined || entry === undefined) return false
  const { labels = {} } = entry.value.metadata
  const now = core.world.clock.now()
  const today = dayOf(now)
  const lastUsed = labels[lastUsedLabel]
  // The clock of another server may be a day ahead.
  if (lastUsed !== today && lastUsed !== dayOf(now + dayMs))
    rewrite(core, served, entry, withMetadata(entry.value, { labels: { ...labels, [lastUsedLabel]: today } }))
  return (labels[invalidLabel] ?? '') === ''
}
