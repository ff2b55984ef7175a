// Steps that are done at once, unless something outside has to be asked (a webhook): then, and only then, a promise comes
// back. Writes come by the ten thousand, and each `async` step would cost a promise and a detour through the task queue.

export type Soon<T> = T | Promise<T>

/** `next` with the value: now if it is there. */
export const whenDone = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value)
