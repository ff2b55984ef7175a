// How the scheduler came to its last verdict about a pod: filters that refused nodes, scores of those that fit, whether
// others could be made to leave, and what the pod waits for.

import type { Placement } from '../../own-types.ts'
import { Age, Until } from '../../parts/time.tsx'

const namesShown = 8

function Refused({ refused }: Pick<Placement, 'refused'>) {
  return (
    <div className="scroll">
      <table data-placement="filters">
        <thead>
          <tr>
            <th>Filter</th>
            <th>Nodes</th>
            <th>Reason</th>
            <th>Which</th>
          </tr>
        </thead>
        <tbody>
          {refused.map(({ plugin, reasons, count, nodes }) => (
            <tr key={plugin + reasons.join()}>
              <td>{plugin}</td>
              <td>{count}</td>
              <td>{reasons.join(', ')}</td>
              <td className="mono small">
                {[...nodes].sort().slice(0, namesShown).join(' ')}
                {count > Math.min(nodes.length, namesShown) && nodes.length > 0 ? ' …' : ''}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Scores({ scores, node }: Pick<Placement, 'scores' | 'node'>) {
  const plugins = scores[0]?.byPlugin ?? []
  return (
    <div className="scroll">
      <table data-placement="scores">
        <thead>
          <tr>
            <th>Node</th>
            <th>Total</th>
            {plugins.map(({ plugin, weight }) => (
              <th key={plugin} title={`scores of 0 to 100, times ${weight}`}>
                {plugin}
                {weight === 1 ? '' : ` ×${weight}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scores.map((row) => (
            <tr key={row.node}>
              <td className="mono">{row.node === node ? <strong>{row.node}</strong> : row.node}</td>
              <td>{row.total}</td>
              {row.byPlugin.map(({ plugin, score }) => (
                <td key={plugin}>{score}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Waiting({ waiting }: { readonly waiting: NonNullable<Placement['waiting']> }) {
  return (
    <>
      <p>
        {waiting.attempts} {waiting.attempts === 1 ? 'attempt' : 'attempts'} so far. Next one{' '}
        <Until time={waiting.nextTryAt} />
        {waiting.wakes.length > 0 && ', or sooner:'}
      </p>
      {waiting.wakes.length > 0 && (
        <ul className="small">
          {waiting.wakes.map(({ plugin, events }) => (
            <li key={plugin}>
              when {events.join(', or ')} <span className="dim">({plugin})</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

export function Scheduling({ placement }: { readonly placement: Placement }) {
  const { at, scheduler, node, nodes, evaluated, feasible, refused, scores, preemption, waiting } = placement
  return (
    <section data-placement={node === undefined ? 'refused' : 'placed'} style={{ margin: '14px 0' }}>
      <h2>Scheduling</h2>
      <p>
        <Age time={at} /> ago {scheduler} looked at {evaluated} of {nodes} nodes; {feasible} fit
        {node === undefined ? '.' : ', and the pod went to '}
        {node !== undefined && <strong>{node}</strong>}
      </p>
      {refused.length > 0 && <Refused refused={refused} />}
      {(scores[0]?.byPlugin.length ?? 0) > 0 && <Scores scores={scores} {...(node === undefined ? {} : { node })} />}
      {preemption !== undefined && (
        <p className="small">
          {preemption.node === undefined
            ? `Preemption does not help: ${preemption.message ?? ''}`
            : `Preemption: ${preemption.victims.join(', ')} must leave ${preemption.node}.`}
        </p>
      )}
      {waiting !== undefined && <Waiting waiting={waiting} />}
    </section>
  )
}
