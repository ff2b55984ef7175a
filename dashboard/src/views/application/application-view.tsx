// One application: its state in cards, what can be done with it, and its resources as tree, list, diff, drift and history.

import { useState } from 'react'
import { useApplication } from '../../parts/live-applications.ts'
import { Empty, ErrorNotice } from '../../parts/notice.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { href } from '../../route.ts'
import { Actions } from './actions.tsx'
import { StateCards } from './cards.tsx'
import { AppDiff } from './diff-tab.tsx'
import { AppDrift } from './drift-tab.tsx'
import { AppEvents } from './events-tab.tsx'
import { AppHistory } from './history-tab.tsx'
import { ResourceDrawer } from './resource-drawer.tsx'
import { parseResourceKey } from './resource-key.ts'
import { ResourceTable } from './resource-table.tsx'
import { ResourceTree } from './tree-tab.tsx'
import { WaitingCard } from './waiting-card.tsx'

const tabs = [
  { id: 'tree', label: 'Tree' },
  { id: 'resources', label: 'Resources' },
  { id: 'diff', label: 'Diff' },
  { id: 'drift', label: 'Drift log' },
  { id: 'history', label: 'History' },
  { id: 'events', label: 'Events' },
] as const

const contents = {
  tree: ResourceTree,
  resources: ResourceTable,
  diff: AppDiff,
  drift: AppDrift,
  history: AppHistory,
  events: AppEvents,
} as const

export function ApplicationView({ name, query }: { readonly name: string; readonly query: URLSearchParams }) {
  const { application, version, gone, live } = useApplication(name)
  const [error, setError] = useState<Error>()
  if (gone)
    return (
      <Empty>
        The application {name} was deleted. <a href="#/applications">All applications</a>
      </Empty>
    )
  if (application === undefined)
    return (
      <Empty>
        {live
          ? `There is no application called ${name}, or it is still loading.`
          : 'Connecting … Where this lasts, the daemon is not running.'}{' '}
        <a href="#/applications">All applications</a>
      </Empty>
    )
  const selected = tabs.find(({ id }) => id === query.get('tab'))?.id ?? 'tree'
  const Content = contents[selected]
  const resource = parseResourceKey(query.get('resource') ?? '')
  return (
    <>
      <div className="bar">
        <h1>
          <a href="#/applications">Applications</a> <span className="dim">/</span> {name}
        </h1>
        <span className={`live-dot small dim${live ? ' on' : ''}`}>{live ? 'live' : 'connecting'}</span>
        <span className="grow" />
        <Actions application={application} onError={setError} />
      </div>
      <ErrorNotice error={error} />
      {(application.status?.conditions ?? []).map(({ type, message }) => (
        <div key={type + message} className={`notice ${type.endsWith('Error') ? 'bad' : 'warn'}`} role="alert">
          <strong>{type}</strong>
          <pre>{message}</pre>
        </div>
      ))}
      <WaitingCard application={application} version={version} />
      <StateCards application={application} version={version} />
      <Tabs tabs={tabs} selected={selected} hrefOf={(tab) => href(['applications', name], { tab })} />
      <Content application={application} version={version} />
      {resource !== undefined && (
        <ResourceDrawer
          application={application}
          version={version}
          reference={resource}
          tab={query.get('show') ?? undefined}
          back={{ tab: selected }}
        />
      )}
    </>
  )
}
