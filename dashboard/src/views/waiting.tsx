// Every object that is not as it should be, with the loop whose turn it is, and every loop that fails.

import { useLoaded } from '../api.ts'
import { Findings } from '../parts/findings.tsx'
import { Empty, ErrorNotice } from '../parts/notice.tsx'
import { Until } from '../parts/time.tsx'
import { href } from '../route.ts'
import type { Waiting } from '../types.ts'

const everyMs = 2000

export function WaitingView() {
  const { value, error } = useLoaded<Waiting>('/homeostat/waiting', 0, everyMs)
  return (
    <>
      <div className="bar">
        <h1>Waiting</h1>
      </div>
      <p className="dim">
        Objects that are not as they should be: which loop has the next step, and what gap it sees. Stuck ones, whose
        loop cannot go on by itself, come first.
      </p>
      <ErrorNotice error={error} />
      {value === undefined && error === undefined && <Empty>Loading …</Empty>}
      {value?.items.length === 0 && value.loops.length === 0 && <Empty>Nothing waits.</Empty>}
      {value?.loops.map(({ loop, keys, key, error: text, nextTryAt }) => (
        <div key={loop} className="finding stuck" data-loop={loop}>
          <span>
            Loop <a href={href(['loops'])}>{loop}</a> fails on <code>{key}</code>
            {keys > 1 && ` and ${keys - 1} more`}
            {nextTryAt !== undefined && (
              <>
                , again <Until time={nextTryAt} />
              </>
            )}
          </span>
          <span>{text}</span>
        </div>
      ))}
      <div className="stack">
        {value?.items.map(({ kind, namespace, name, findings }) => (
          <section key={`${kind} ${namespace} ${name}`} className="card" data-object={`${kind} ${name}`}>
            <Findings findings={findings} />
          </section>
        ))}
      </div>
      {value !== undefined && value.more > 0 && <p className="dim">And {value.more} more.</p>}
    </>
  )
}
