// Admission never lets a quota be exceeded: what it writes as used stays within what is hard, counts every object that it
// lets in, and no object of a counted kind appears without.

import type { ResourceQuota } from '#kinds'
import { quantityMilliValue } from '#objects'
import type { Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'

const quotaBucket = 'resourcequotas'

export const quotas: Invariant = {
  name: 'quotas',
  watch: ({ fail, store }) => {
    /** Pods that may be made: what the quotas counted before each was. */
    const counted = new Map<string, number>()
    const value = (amounts: Readonly<Record<string, string | number>> | undefined, name: string): number =>
      quantityMilliValue(amounts?.[name] ?? '0')
    const quotaWrote = (write: Write): void => {
      const [before, after] = [as<ResourceQuota>(write.before), as<ResourceQuota>(write.after)]
      if (after === undefined || before === undefined || write.by?.loop === 'resourcequota') return
      if (write.request?.resource?.resource === 'resourcequotas') return
      for (const name of Object.keys(after.status?.used ?? {})) {
        const [old, now] = [value(before.status?.used, name), value(after.status?.used, name)]
        const hard = value(after.status?.hard ?? after.spec?.hard, name)
        if (now > old && now > hard)
          fail(`${idOf(write)} lets ${name} rise to ${after.status?.used?.[name]}, above what is hard`, idOf(write))
        if (name === 'pods' && now > old) counted.set(write.key, (counted.get(write.key) ?? 0) + (now - old) / 1000)
      }
    }
    const podWrote = (write: Write): void => {
      if (write.before !== undefined || write.after === undefined || write.request === undefined) return
      const { namespace } = write.after.metadata
      for (const { key, value: quota } of store.list(quotaBucket, { prefix: `${namespace}/` }).entries) {
        const { spec, status } = quota as unknown as ResourceQuota
        const scopes = spec?.scopes ?? spec?.scopeSelector
        if (spec?.hard?.['pods'] === undefined || status?.hard === undefined || scopes !== undefined) continue
        const left = counted.get(key) ?? 0
        if (left < 1) fail(`${idOf(write)} is made, and ${key} does not count it`, idOf(write), `${quotaBucket}/${key}`)
        counted.set(key, left - 1)
      }
    }
    return { wrote: { [quotaBucket]: quotaWrote, pods: podWrote } }
  },
}
