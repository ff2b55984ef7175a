// Roughly how much memory one event of the history holds on to: the parts of the old value that the new value does not
// share. Parts are compared by reference, so an update that changes only `status` is charged only for the old status.

const objectBytes = 32
const propertyBytes = 16
const numberBytes = 8
const stringBytes = 16

/** An event, its entry and their places in the log. */
export const eventBytes = 240

export function retainedBytes(old: unknown, current: unknown): number {
  if (old === current) return 0
  if (typeof old === 'string') return stringBytes + old.length
  if (typeof old !== 'object' || old === null) return numberBytes
  let bytes = objectBytes
  if (Array.isArray(old)) {
    const other = Array.isArray(current) ? current : undefined
    for (let i = 0; i < old.length; i += 1) bytes += numberBytes + retainedBytes(old[i], other?.[i])
    return bytes
  }
  const other = (typeof current === 'object' && current !== null ? current : undefined) as
    | Readonly<Record<string, unknown>>
    | undefined
  const record = old as Readonly<Record<string, unknown>>
  for (const key in record) bytes += propertyBytes + retainedBytes(record[key], other?.[key])
  return bytes
}
