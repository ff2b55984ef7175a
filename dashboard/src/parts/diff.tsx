// Two manifests side by side as a unified diff, and manifests as YAML-like text.

import { lineDiff } from '../../../src/insight/line-diff.ts'
import { toYaml } from './yaml.ts'

/** The text of a JSON state; empty for an absent one. */
export const stateText = (state: string | undefined): string =>
  state === undefined || state === '' || state === 'null' ? '' : toYaml(JSON.parse(state))

export function Diff({ from, to }: { readonly from: string; readonly to: string }) {
  const lines = lineDiff(from === '' ? [] : from.split('\n'), to === '' ? [] : to.split('\n'))
  if (lines.length === 0) return <p className="dim">No differences.</p>
  // The lines of a diff have no identity but their place.
  const rows = lines.map((line, place) => ({ line, place }))
  return (
    <div className="diff">
      {rows.map(({ line, place }) => (
        <div key={place} className={kindOf(line)}>
          {line === '@@' ? '⋯' : line === '' ? ' ' : line}
        </div>
      ))}
    </div>
  )
}

const kindOf = (line: string): string =>
  line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line === '@@' ? 'gap' : ''

export function Manifest({ text }: { readonly text: string }) {
  return text === '' ? <p className="dim">None.</p> : <pre className="code">{text}</pre>
}
