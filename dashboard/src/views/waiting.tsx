// Every object that is not as it should be, with the loop whose turn it is, and every loop that cannot work.

import { useState } from 'react'
import { isStuck } from '../../../src/insight/explain/finding.ts'
import { useLoaded } from '../api.ts'
import type { EverythingWaiting, LoopTrouble, WaitingObject } from '../own-types.ts'
import { Cause, Findings } from '../parts/findings.tsx'
import { Empty, ErrorNotice } from '../parts/notice.tsx'
import { Badge } from '../parts/status.tsx'
import { Until } from '../parts/time.tsx'
import { go, href } from '../route.ts'
import type { ViewProps } from './view.ts'

const everyMs = 2000
/** So many are shown, and more when they are asked for. */
const shownAtOnce = 100

const stateOf = ({ findings }: WaitingObject): 'stuck' | 'progressing' => (isStuck(findings) ? 'stuck' : 'progressing')

function Trouble({ trouble: { loop, trouble, keys, key, error, nextTryAt } }: { readonly trouble: LoopTrouble }) {
  return (
    <div className="card wait state-stuck" data-loop={loop}>
      <span>
        Loop <a href={href(['loops'])}>{loop}</a> {trouble}
        {key !== undefined && (
          <>
            {' '}
            on <code>{key}</code>
          </>
        )}
        {keys > 1 && ` and ${keys - 1} more`}
        {nextTryAt !== undefined && (
          <>
            , again <Until time={nextTryAt} />
          </>
        )}
      </span>
      <span className="small">{error}</span>
    </div>
  )
}

function Others({ label, objects }: { readonly label: string; readonly objects: readonly string[] }) {
  if (objects.length === 0) return null
  const [first, ...others] = objects
  return (
    <span className="small dim" title={objects.join(', ')}>
      {label} {first}
      {others.length > 0 && ` and ${others.length} more`}
    </span>
  )
}

function Item({ item }: { readonly item: WaitingObject }) {
  const { kind, name, findings, holdsUp, alike } = item
  const [head] = findings
  return (
    <details className={`card wait state-${stateOf(item)}`} data-object={`${kind} ${name}`}>
      <summary>
        <span className="row">
          <Badge word={stateOf(item)} /> <strong>{head?.object}</strong>
        </span>
        <Cause findings={findings} />
        <Others label="The same of" objects={alike} />
        <Others label="Holds up" objects={holdsUp} />
      </summary>
      {kind === 'Application' && <a href={href(['applications', name])}>Open the application</a>}
      <Findings findings={findings} />
      {alike.length > 0 && <p className="small">The same of: {alike.join(', ')}</p>}
      {holdsUp.length > 0 && <p className="small">Holds up: {holdsUp.join(', ')}</p>}
    </details>
  )
}

const textOf = ({ findings, holdsUp, alike }: WaitingObject): string =>
  [...findings.flatMap(({ object, loop, gap }) => [object, loop, gap]), ...holdsUp, ...alike].join(' ').toLowerCase()

/** With those that are told by the first of their kind. */
const countOf = (items: readonly WaitingObject[]): number => items.reduce((sum, { alike }) => sum + 1 + alike.length, 0)

function Items({ items, query }: { readonly items: readonly WaitingObject[]; readonly query: URLSearchParams }) {
  const [most, setMost] = useState(shownAtOnce)
  const [search, state] = [query.get('search') ?? '', query.get('state')]
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    go(['waiting'], { search, state: state ?? undefined, ...changes })
  const shown = items.filter(
    (item) => (state === null || stateOf(item) === state) && textOf(item).includes(search.toLowerCase()),
  )
  return (
    <>
      <div className="bar">
        <fieldset className="row plain" aria-label="State">
          {(['stuck', 'progressing'] as const).map((word) => (
            <button
              key={word}
              type="button"
              className="chip"
              aria-pressed={word === state}
              onClick={() => set({ state: word === state ? undefined : word })}
            >
              <Badge word={word} /> {countOf(items.filter((item) => stateOf(item) === word))}
            </button>
          ))}
        </fieldset>
        <span className="grow" />
        <input
          type="search"
          placeholder="Search by object, loop or cause"
          aria-label="Search"
          value={search}
          onChange={(event) => set({ search: event.target.value })}
        />
      </div>
      <div className="stack tight">
        {shown.slice(0, most).map((item) => (
          <Item key={`${item.kind} ${item.namespace} ${item.name}`} item={item} />
        ))}
      </div>
      {shown.length === 0 && items.length > 0 && <Empty>Nothing that waits matches.</Empty>}
      {shown.length > most && (
        <button type="button" className="button" onClick={() => setMost(most + shownAtOnce)}>
          Show more ({shown.length - most} of {shown.length} are not shown)
        </button>
      )}
    </>
  )
}

export function WaitingView({ query }: ViewProps) {
  const { value, error } = useLoaded<EverythingWaiting>('/homeostat/waiting', 0, everyMs)
  return (
    <>
      <div className="bar">
        <h1>Waiting</h1>
      </div>
      <p className="dim">
        Objects that are not as they should be: which loop has the next step, and what gap it sees. Stuck ones, whose
        loop cannot go on by itself, come first; open one for the whole chain.
      </p>
      <ErrorNotice error={error} />
      {value === undefined && error === undefined && <Empty>Loading …</Empty>}
      {value?.items.length === 0 && value.loops.length === 0 && <Empty>Nothing waits.</Empty>}
      {value !== undefined && value.loops.length > 0 && (
        <div className="stack tight troubles">
          {value.loops.map((trouble) => (
            <Trouble key={trouble.loop} trouble={trouble} />
          ))}
        </div>
      )}
      {value !== undefined && value.items.length > 0 && <Items items={value.items} query={query} />}
      {value !== undefined && value.more > 0 && <p className="dim">And {value.more} more.</p>}
    </>
  )
}
