// Every loop of the process: what it works on, what waits, what failed last and when it is tried again.

import { useLoaded } from '../api.ts'
import type { ShownLoop } from '../own-types.ts'
import { Empty, ErrorNotice } from '../parts/notice.tsx'
import { Age, Until } from '../parts/time.tsx'

type State = 'stuck' | 'working' | 'idle' | 'paused' | 'listing'

const stateOf = (loop: ShownLoop): State =>
  loop.paused === true
    ? 'paused'
    : loop.synced === false
      ? 'listing'
      : loop.backoff.length > 0
        ? 'stuck'
        : loop.queueDepth + loop.working > 0
          ? 'working'
          : 'idle'

const toneOf = { stuck: 'bad', working: 'busy', idle: 'good', paused: 'warn', listing: 'warn' } as const
const words = {
  stuck: 'backing off',
  working: 'working',
  idle: 'idle',
  paused: 'paused',
  listing: 'waits for its first list',
} as const
/** Trouble is seen without scrolling. */
const order: readonly State[] = ['paused', 'listing', 'stuck']
const rankOf = (loop: ShownLoop): number => (order.indexOf(stateOf(loop)) + order.length + 1) % (order.length + 1)

const Again = ({ time }: { readonly time: string }) => (
  <>
    again <Until time={time} />
  </>
)

/** So many keys that it fails on are shown. */
const keysShown = 5

function Failures({ loop: { backoff, lastError } }: { readonly loop: ShownLoop }) {
  return (
    <>
      {backoff.slice(0, keysShown).map(({ key, error, nextTryAt }) => (
        <div key={key}>
          <code>{key}</code> {nextTryAt === undefined ? 'is being tried' : <Again time={nextTryAt} />}: {error}
        </div>
      ))}
      {backoff.length > keysShown && <div className="dim">and {backoff.length - keysShown} more</div>}
      {lastError !== undefined && backoff.every(({ key }) => key !== lastError.key) && (
        <div className="dim">
          <Age time={lastError.at} /> ago: <code>{lastError.key}</code> {lastError.message}
        </div>
      )}
    </>
  )
}

function Row({ loop }: { readonly loop: ShownLoop }) {
  const state = stateOf(loop)
  return (
    <tr data-loop={loop.name}>
      <td>
        <strong>{loop.name}</strong> {loop.kind !== undefined && <div className="dim small">{loop.kind}</div>}
      </td>
      <td>
        <span className={`badge tone-${toneOf[state]}`}>{words[state]}</span>
      </td>
      <td className="num detail">{loop.queueDepth}</td>
      <td className="num detail">{loop.working}</td>
      <td className="num detail">{loop.reconciles}</td>
      <td className="num detail">{loop.errors}</td>
      <td className="detail">
        <Age time={loop.lastReconcileAt} />
      </td>
      <td className="small whole">
        <Failures loop={loop} />
      </td>
    </tr>
  )
}

export function LoopsView() {
  const { value, error } = useLoaded<{ items: readonly ShownLoop[] }>('/homeostat/loops', 0, 1000)
  const loops = [...(value?.items ?? [])].sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name))
  return (
    <>
      <div className="bar">
        <h1>Loops</h1>
      </div>
      <p className="dim">
        No loop calls another: each watches objects, compares desired with observed and takes one step. A loop that
        fails backs off; here is which one, on what, and why.
      </p>
      <ErrorNotice error={error} />
      {value === undefined && error === undefined && <Empty>Loading …</Empty>}
      {loops.length > 0 && (
        <div className="scroll">
          <table className="lines">
            <thead>
              <tr>
                <th>Loop</th>
                <th>State</th>
                <th className="num">Queue</th>
                <th className="num">Working</th>
                <th className="num">Reconciles</th>
                <th className="num">Errors</th>
                <th>Last</th>
                <th>What it fails on, or failed on last</th>
              </tr>
            </thead>
            <tbody>
              {loops.map((loop) => (
                <Row key={loop.name} loop={loop} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
