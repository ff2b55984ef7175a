// Reads one field of an object by a dotted path: `status.readyReplicas`, `spec.containers.0.image`,
// `metadata.labels.[app.kubernetes.io/name]`, `status.conditions.Ready.status` (entries of lists by type or name).

const partOf = /\[([^\]]+)\]|[^.[\]]+/g

export function fieldAt(object: unknown, path: string): unknown {
  let value: unknown = object
  for (const [text, bracketed] of path.matchAll(partOf)) {
    const part = bracketed ?? text
    if (Array.isArray(value)) {
      const entries: readonly unknown[] = value
      value = /^\d+$/.test(part) ? entries[Number(part)] : entries.find((entry) => isCalled(entry, part))
    } else if (typeof value === 'object' && value !== null) value = (value as Record<string, unknown>)[part]
    else return undefined
  }
  return value
}

function isCalled(entry: unknown, name: string): boolean {
  const { type, name: own } = (entry ?? {}) as { readonly type?: unknown; readonly name?: unknown }
  return type === name || own === name
}

/** As one line; `<none>` for a field that is not there. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '<none>'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
