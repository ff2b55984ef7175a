// All applications with their sync and health, or, with a name in the address, one of them.

import { memo, useState } from 'react'
import { isStuck } from '../../../src/insight/explain/finding.ts'
import type { Finding } from '../own-types.ts'
import { clusterOf, shownDestination } from '../parts/destination.ts'
import { Cause } from '../parts/findings.tsx'
import { useApplications } from '../parts/live-applications.ts'
import { Empty } from '../parts/notice.tsx'
import { shownPlaces, shownRevision, shownTargets } from '../parts/sources.ts'
import { appTone, Badge } from '../parts/status.tsx'
import { Age } from '../parts/time.tsx'
import { useWaitingApplications } from '../parts/waiting-applications.ts'
import { go, href } from '../route.ts'
import type { Application } from '../types.ts'
import { ApplicationView } from './application/application-view.tsx'
import type { ViewProps } from './view.ts'

const syncOf = (app: Application): string => app.status?.sync?.status ?? 'Unknown'
const healthOf = (app: Application): string => app.status?.health?.status ?? 'Unknown'

const nothing: readonly Finding[] = []

const Tile = memo(({ app, chain }: { readonly app: Application; readonly chain: readonly Finding[] }) => {
  const { name } = app.metadata
  const tone = appTone(syncOf(app), healthOf(app))
  const operation = app.status?.operationState
  return (
    <a className={`tile tone-line-${tone}`} href={href(['applications', name])} data-app={name}>
      <span className="name">{name}</span>
      <span className="row">
        <Badge word={syncOf(app)} />
        <Badge word={healthOf(app)} title={app.status?.health?.message} />
        {isStuck(chain) && <Badge word="stuck" />}
        {operation?.phase === 'Running' && <span className="badge tone-busy">Syncing</span>}
        {app.metadata.deletionTimestamp !== undefined && <span className="badge tone-warn">Deleting</span>}
      </span>
      <dl className="facts">
        <dt>Path</dt>
        <dd>{shownPlaces(app)}</dd>
        <dt>Target</dt>
        <dd>
          {shownTargets(app)} <span className="dim mono">{shownRevision(app.status?.sync)}</span>
        </dd>
        <dt>{clusterOf(app) === undefined ? 'Namespace' : 'Destination'}</dt>
        <dd>{shownDestination(app)}</dd>
        <dt>Last sync</dt>
        <dd>
          <Age time={operation?.finishedAt} />
        </dd>
      </dl>
      <Cause findings={chain} />
      {(chain.length === 0 ? (app.status?.conditions ?? []) : []).slice(0, 1).map(({ type, message }) => (
        <span key={type} className="small tone-bad clamped" style={{ background: 'none' }} title={message}>
          {type}: {message}
        </span>
      ))}
    </a>
  )
})

/** So many tiles are shown, and more when they are asked for. */
const tilesAtOnce = 400

interface FilterProps {
  readonly label: string
  readonly words: readonly string[]
  readonly chosen: string | null
  readonly count: (word: string) => number
  readonly choose: (word: string | undefined) => void
}

function Filter({ label, words, chosen, count, choose }: FilterProps) {
  if (chosen === null && words.every((word) => count(word) === 0)) return null
  return (
    <fieldset className="row plain" aria-label={label}>
      <span className="small dim">{label}</span>
      {words
        .filter((word) => count(word) > 0 || word === chosen)
        .map((word) => (
          <button
            key={word}
            type="button"
            className="chip"
            aria-pressed={word === chosen}
            onClick={() => choose(word === chosen ? undefined : word)}
          >
            <Badge word={word} /> {count(word)}
          </button>
        ))}
    </fieldset>
  )
}

const syncWords = ['Synced', 'OutOfSync', 'Unknown']
const healthWords = ['Healthy', 'Progressing', 'Degraded', 'Missing', 'Suspended', 'Unknown']

function ApplicationList({ query }: { readonly query: URLSearchParams }) {
  const { applications, loaded, live } = useApplications()
  const chains = useWaitingApplications()
  const [most, setMost] = useState(tilesAtOnce)
  const [search, sync, health] = [query.get('search') ?? '', query.get('sync'), query.get('health')]
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    go(['applications'], { search, sync: sync ?? undefined, health: health ?? undefined, ...changes })
  const shown = applications.filter(
    (app) =>
      (sync === null || syncOf(app) === sync) &&
      (health === null || healthOf(app) === health) &&
      `${app.metadata.name} ${app.spec.source?.repoURL} ${app.spec.source?.path} ${shownDestination(app)}`
        .toLowerCase()
        .includes(search.toLowerCase()),
  )
  return (
    <>
      <div className="bar">
        <h1>Applications</h1>
        <span className={`live-dot small dim${live ? ' on' : ''}`}>{live ? 'live' : 'connecting'}</span>
        <span className="grow" />
        <input
          type="search"
          placeholder="Search by name, path or namespace"
          aria-label="Search"
          value={search}
          onChange={(event) => set({ search: event.target.value })}
        />
      </div>
      <div className="bar">
        <Filter
          label="Sync"
          words={syncWords}
          chosen={sync}
          count={(word) => applications.filter((app) => syncOf(app) === word).length}
          choose={(word) => set({ sync: word })}
        />
        <Filter
          label="Health"
          words={healthWords}
          chosen={health}
          count={(word) => applications.filter((app) => healthOf(app) === word).length}
          choose={(word) => set({ health: word })}
        />
      </div>
      {shown.length > 0 ? (
        <>
          <div className="tiles">
            {shown.slice(0, most).map((app) => (
              <Tile key={app.metadata.name} app={app} chain={chains.get(app.metadata.name) ?? nothing} />
            ))}
          </div>
          {shown.length > most && (
            <button type="button" className="button" onClick={() => setMost(most + tilesAtOnce)}>
              Show more ({shown.length - most} of {shown.length} are not shown)
            </button>
          )}
        </>
      ) : (
        <Empty>
          {!loaded
            ? live
              ? 'Loading …'
              : 'Connecting … Where this lasts, the daemon is not running.'
            : applications.length === 0
              ? 'No applications yet. Start the daemon with a repository: homeostat up REPO'
              : 'No application matches.'}
        </Empty>
      )}
    </>
  )
}

export function Applications({ path, query }: ViewProps) {
  const [name] = path
  return name === undefined ? (
    <ApplicationList query={query} />
  ) : (
    <ApplicationView key={name} name={name} query={query} />
  )
}
