// Makes every request of a loop a task of its own: always in virtual time, so that seeds explore what may happen between
// any two requests; in real time only when the run queue's slice is over, so that Node is never kept waiting.

import type { ApiHandler, ApiRequest } from '#api'
import type { Clock } from '#world'

export function turns(clock: Clock, next: ApiHandler): ApiHandler {
  return (request, signal) => {
    const turn = clock.breathe(nameOf(request))
    if (turn === undefined) return next(request, signal)
    return turn.then(() => (signal.aborted ? Promise.reject(signal.reason) : next(request, signal)))
  }
}

const nameOf = ({ verb, resource, namespace, name, subresource }: ApiRequest): string =>
  `${verb} ${resource?.resource ?? ''}/${subresource ?? ''} ${namespace ?? ''}/${name ?? ''}`
