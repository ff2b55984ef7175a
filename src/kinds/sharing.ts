// Copying with sharing: a copy is made only of what changes, and the same reference comes back when nothing does. Results
// of checks are kept by reference, so this is what keeps a write cheap.

/** The object with these fields; fields whose value is undefined are left as they are. */
export function withDefaults<T extends object>(object: T, fields: { readonly [K in keyof T]?: T[K] | undefined }): T {
  let copy: T | undefined
  for (const key in fields) {
    const value = fields[key]
    if (value === undefined || value === object[key]) continue
    copy ??= { ...object }
    copy[key] = value as T[typeof key]
  }
  return copy ?? object
}

/** The object without these fields. */
export function without<T extends object>(object: T, ...fields: readonly (keyof T)[]): T {
  if (!fields.some((field) => object[field] !== undefined)) return object
  const copy = { ...object }
  for (const field of fields) delete copy[field]
  return copy
}

/** `list.map(change)`, or the same list when no element changed. */
export function mapShared<T>(list: readonly T[], change: (element: T) => T): readonly T[] {
  let copy: T[] | undefined
  for (const [i, element] of list.entries()) {
    const changed = change(element)
    if (changed === element) continue
    copy ??= [...list]
    copy[i] = changed
  }
  return copy ?? list
}

/** A pure function of an object whose results are kept as long as the object lives. */
export function remembered<T extends object, R>(compute: (object: T) => R): (object: T) => R {
  const results = new WeakMap<T, { readonly result: R }>()
  return (object) => {
    const known = results.get(object)
    if (known !== undefined) return known.result
    const result = compute(object)
    results.set(object, { result })
    return result
  }
}
