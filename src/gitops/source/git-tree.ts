// A folder as git keeps it: its entries, found by name without walking through them, since there may be ten thousand.

export interface TreeEntry {
  readonly name: string
  readonly type: 'tree' | 'blob' | 'symlink' | 'submodule'
  readonly id: string
  /** Only of blobs. */
  readonly executable?: true
}

export class GitTree {
  /** In git's order. */
  readonly entries: readonly TreeEntry[]
  #byName: ReadonlyMap<string, TreeEntry> | undefined

  constructor(entries: readonly TreeEntry[]) {
    this.entries = entries
  }

  find(name: string): TreeEntry | undefined {
    this.#byName ??= new Map(this.entries.map((entry) => [entry.name, entry]))
    return this.#byName.get(name)
  }
}

export const emptyTree = new GitTree([])

export interface TreeChange {
  readonly name: string
  readonly before: TreeEntry | undefined
  readonly after: TreeEntry | undefined
}

/** Entries that are not the same in both, at the price of one comparison for each that is. */
export function* treeChanges(before: GitTree, after: GitTree): Iterable<TreeChange> {
  const [left, right] = [before.entries, after.entries]
  // What is alike at both ends needs no look-up by name: nearly everything, as a rule.
  let start = 0
  while (start < left.length && start < right.length && isSameEntry(left[start], right[start])) start += 1
  let [leftEnd, rightEnd] = [left.length, right.length]
  while (leftEnd > start && rightEnd > start && isSameEntry(left[leftEnd - 1], right[rightEnd - 1])) {
    leftEnd -= 1
    rightEnd -= 1
  }
  const rest = new Map(left.slice(start, leftEnd).map((entry) => [entry.name, entry]))
  for (const entry of right.slice(start, rightEnd)) {
    const was = rest.get(entry.name)
    rest.delete(entry.name)
    if (!isSameEntry(was, entry)) yield { name: entry.name, before: was, after: entry }
  }
  for (const entry of rest.values()) yield { name: entry.name, before: entry, after: undefined }
}

const isSameEntry = (a: TreeEntry | undefined, b: TreeEntry | undefined): boolean =>
  a?.id === b?.id && a?.name === b?.name && a?.type === b?.type && a?.executable === b?.executable
