// One resource beside the tree: which loop it waits for, what can be done with it, its manifests, how it differs from git, its
// events and logs.

import { useEffect, useRef } from 'react'
import { useLoaded } from '../../api.ts'
import { Manifest, stateText } from '../../parts/diff.tsx'
import { EventTable } from '../../parts/event-table.tsx'
import { ErrorNotice } from '../../parts/notice.tsx'
import { Badge } from '../../parts/status.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { go, href } from '../../route.ts'
import type { Application, KubeEvent, ManagedResource, ResourceRef } from '../../types.ts'
import { ManagedDiff } from './diff-tab.tsx'
import { Logs } from './logs.tsx'
import { ResourceActions } from './resource-actions.tsx'
import { resourceKey } from './resource-key.ts'
import { ResourceSummary } from './resource-summary.tsx'

interface DrawerProps {
  readonly application: Application
  readonly version: number
  readonly reference: ResourceRef
  readonly tab: string | undefined
  readonly back: Readonly<Record<string, string>>
}

const search = (ref: ResourceRef): string =>
  new URLSearchParams({
    group: ref.group ?? '',
    kind: ref.kind,
    namespace: ref.namespace ?? '',
    resourceName: ref.name,
    version: ref.version ?? '',
  }).toString()

function Events({
  appPath,
  reference,
  version,
}: {
  readonly appPath: string
  readonly reference: ResourceRef & { readonly uid?: string }
  readonly version: number
}) {
  const query = new URLSearchParams({
    resourceName: reference.name,
    resourceNamespace: reference.namespace ?? '',
    resourceUID: reference.uid ?? '',
  })
  const { value, error } = useLoaded<{ items?: readonly KubeEvent[] | null }>(
    `${appPath}/events?${query}`,
    version,
    2000,
  )
  return (
    <>
      <ErrorNotice error={error} />
      {value !== undefined && <EventTable events={value.items ?? []} />}
    </>
  )
}

const baseTabs = [
  { id: 'summary', label: 'Summary' },
  { id: 'live', label: 'Live manifest' },
  { id: 'events', label: 'Events' },
]

function tabsFor(managed: ManagedResource | undefined, kind: string) {
  return [
    ...baseTabs,
    ...(managed === undefined
      ? []
      : [
          { id: 'desired', label: 'Desired manifest' },
          { id: 'diff', label: 'Diff' },
        ]),
    ...(kind === 'Pod' ? [{ id: 'logs', label: 'Logs' }] : []),
  ]
}

export function ResourceDrawer({ application, version, reference, tab, back }: DrawerProps) {
  const resource = resourceKey(reference)
  const { name } = application.metadata
  const appPath = `/applications/${encodeURIComponent(name)}`
  const live = useLoaded<{ manifest?: string }>(`${appPath}/resource?${search(reference)}`, version, 2000)
  const managed = useLoaded<{ items?: readonly ManagedResource[] | null }>(`${appPath}/managed-resources`, version)
  const item = managed.value?.items?.find((other) => resourceKey(other) === resource)
  const status = application.status?.resources?.find((other) => resourceKey(other) === resource)
  const close = (): void => go(['applications', name], back)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') go(['applications', name], { tab: back.tab })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [name, back.tab])
  const drawer = useFocus()
  const tabs = tabsFor(item, reference.kind)
  const selected = tabs.find(({ id }) => id === tab)?.id ?? 'summary'
  const object =
    live.value?.manifest === undefined ? undefined : (JSON.parse(live.value.manifest) as { metadata: { uid?: string } })
  return (
    <>
      <button type="button" className="backdrop" aria-label="Close" onClick={close} />
      <aside
        className="drawer"
        role="dialog"
        aria-label={`${reference.kind} ${reference.name}`}
        ref={drawer}
        tabIndex={-1}
      >
        <header>
          <div>
            <span className="dim small">{reference.kind}</span>
            <h1>{reference.name}</h1>
            <span className="dim small mono">{reference.namespace}</span>
          </div>
          {status !== undefined && <Badge word={status.status} />}
          {status?.health?.status !== undefined && <Badge word={status.health.status} title={status.health.message} />}
          <button type="button" onClick={close}>
            Close
          </button>
        </header>
        <Tabs
          tabs={tabs}
          selected={selected}
          hrefOf={(show) => href(['applications', name], { ...back, resource, show })}
        />
        <ErrorNotice error={live.error} />
        {object !== undefined && <ResourceActions appPath={appPath} reference={reference} version={version} />}
        {selected === 'summary' && (
          <ResourceSummary application={name} reference={reference} object={object} version={version} />
        )}
        {selected === 'live' && <Manifest text={stateText(live.value?.manifest)} />}
        {selected === 'desired' && <Manifest text={stateText(item?.targetState)} />}
        {selected === 'diff' && item !== undefined && <ManagedDiff item={item} />}
        {selected === 'events' && (
          <Events
            appPath={appPath}
            reference={{ ...reference, ...(object?.metadata.uid === undefined ? {} : { uid: object.metadata.uid }) }}
            version={version}
          />
        )}
        {selected === 'logs' && <Logs appPath={appPath} pod={reference} containers={containersOf(object)} />}
      </aside>
    </>
  )
}

/** The keyboard goes into the drawer, and back to where it was. */
function useFocus() {
  const drawer = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    drawer.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return drawer
}

const containersOf = (object: unknown): readonly string[] => {
  const spec = (
    object as
      | { spec?: { initContainers?: readonly { name: string }[]; containers?: readonly { name: string }[] } }
      | undefined
  )?.spec
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name)
}
