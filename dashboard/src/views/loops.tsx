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

function Backoff({ loop }: { readonly loop: ShownLoop }) {
  if (loop.backoff.length === 0) return <span className="dim">–</span>
  return (
    <>
      {loop.backoff.slice(0, 5).map(({ key, error, nextTryAt }) => (
        <div key={key}>
          <code>{key}</code> {nextTryAt === undefined ? 'is being tried' : <Again time={nextTryAt} />}:{' '}
          <span className="small">{error}</span>
        </div>
      ))}
      {loop.backoff.length > 5 && <span className="dim small">and {loop.backoff.length - 5} more</span>}
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
      <td className="num">{loop.queueDepth}</td>
      <td className="num">{loop.working}</td>
      <td className="num">{loop.reconciles}</td>
      <td className="num">{loop.errors}</td>
      <td>
        <Age time={loop.lastReconcileAt} />
      </td>
      <td>
        <Backoff loop={loop} />
      </td>
      <td className="small">
        {loop.lastError === undefined ? (
          <span className="dim">–</span>
        ) : (
          <>
            <Age time={loop.lastError.at} /> ago:{' '}
            {loop.lastError.key !== undefined && <code>{loop.lastError.key}</code>} {loop.lastError.message}
          </>
        )}
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
          <table>
            <thead>
              <tr>
                <th>Loop</th>
                <th>State</th>
                <th className="num">Queue</th>
                <th className="num">Working</th>
                <th className="num">Reconciles</th>
                <th className="num">Errors</th>
                <th>Last</th>
                <th>Back-off</th>
                <th>Last error</th>
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
