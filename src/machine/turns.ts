// How requests enter the machine. A loop's request is a task of its own: always in virtual time, so that seeds explore what
// may happen between any two requests; in real time only when the run queue's slice is over, so that Node is never
// kept waiting. A door's request is answered at once, except while virtual time stands still for something outside.

import { type ApiHandler, type ApiRequest, refusal } from '#api'
import type { Clock } from '#world'

/** For loops. */
export function turns(clock: Clock, next: ApiHandler): ApiHandler {
  return (request, signal) => {
    if (!clock.givesWay()) return next(request, signal)
    return clock
      .turn(nameOf(request))
      .then(() => (signal.aborted ? Promise.reject(signal.reason) : next(request, signal)))
  }
}

const nameOf = ({ verb, resource, namespace, name, subresource }: ApiRequest): string =>
  `${verb} ${resource?.resource ?? ''}/${subresource ?? ''} ${namespace ?? ''}/${name ?? ''}`

/** For doors: a process that the world waits for would make the run depend on its timing if it were answered. */
export const unlessOutside =
  (clock: Clock, next: ApiHandler): ApiHandler =>
  (request, signal) =>
    clock.waitsOutside ? Promise.resolve(refused) : next(request, signal)

const refused = refusal({
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'the simulated world waits for a process outside: it cannot be called meanwhile',
})
