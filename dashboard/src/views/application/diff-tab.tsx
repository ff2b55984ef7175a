// What a sync would change, for the whole application: live against what the API server would store.

import { useLoaded } from '../../api.ts'
import { Diff, stateText } from '../../parts/diff.tsx'
import { Empty, ErrorNotice, Notice } from '../../parts/notice.tsx'
import type { ManagedResource } from '../../types.ts'
import { resourceKey } from './resource-key.ts'
import type { TabProps } from './tab.ts'

/** The two texts of a difference; an object that git no longer has goes to nothing. */
function diffTexts(item: ManagedResource): { readonly from: string; readonly to: string } {
  const target = stateText(item.targetState)
  return {
    from: stateText(item.normalizedLiveState ?? item.liveState),
    to: target === '' ? '' : stateText(item.predictedLiveState ?? item.targetState),
  }
}

/** What a sync would change, and where the cluster would not take that, why. */
export function ManagedDiff({ item }: { readonly item: ManagedResource }) {
  return (
    <>
      {item.refusal !== undefined && <Notice>The cluster refuses what git says: {item.refusal}</Notice>}
      <Diff {...diffTexts(item)} />
    </>
  )
}

const differs = (item: ManagedResource): boolean => item.modified === true || stateText(item.targetState) === ''

export function AppDiff({ application, version }: TabProps) {
  const { value, error } = useLoaded<{ items?: readonly ManagedResource[] | null }>(
    `/applications/${encodeURIComponent(application.metadata.name)}/managed-resources`,
    version,
  )
  const changed = (value?.items ?? []).filter(differs)
  return (
    <>
      <ErrorNotice error={error} />
      {value !== undefined && changed.length === 0 && <Empty>The cluster is what git says.</Empty>}
      {changed.map((item) => (
        <section key={resourceKey(item)}>
          <h2 style={{ margin: '14px 0 6px' }}>
            {item.kind}{' '}
            <span className="mono">
              {item.namespace === undefined || item.namespace === '' ? '' : `${item.namespace}/`}
              {item.name}
            </span>
          </h2>
          <ManagedDiff item={item} />
        </section>
      ))}
    </>
  )
}
