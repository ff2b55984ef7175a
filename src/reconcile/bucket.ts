// Some of the cached objects of a kind (those of a namespace, an owner, an index value): a set of cells with a snapshot
// that is made when asked for and dropped when one of its cells changes. Cells are shared by all buckets they are in,
// so a change of an object costs one assignment and a few dropped snapshots, however many indexes there are.

import type { KubeObject } from '#objects'

/** One cached object. `values` are its values in each index of the kind, in the order in which indexes were added. */
export interface Cell {
  readonly key: string
  object: KubeObject
  revision: number
  values: (readonly string[])[]
  /** Every bucket that the cell is in. */
  buckets: Bucket[]
}

const nothing: readonly KubeObject[] = Object.freeze([])

export class Bucket {
  readonly #cells = new Set<Cell>()
  #snapshot: readonly KubeObject[] | undefined = nothing

  get size(): number {
    return this.#cells.size
  }

  add(cell: Cell): void {
    this.#cells.add(cell)
    this.#snapshot = undefined
    cell.buckets.push(this)
  }

  remove(cell: Cell): void {
    this.#cells.delete(cell)
    this.#snapshot = undefined
    cell.buckets = cell.buckets.filter((bucket) => bucket !== this)
  }

  /** A cell of this bucket holds another object now. */
  touch(): void {
    this.#snapshot = undefined
  }

  objects(): readonly KubeObject[] {
    if (this.#snapshot === undefined) {
      const objects = new Array<KubeObject>(this.#cells.size)
      let i = 0
      for (const cell of this.#cells) objects[i++] = cell.object
      this.#snapshot = objects
    }
    return this.#snapshot
  }
}

/** Buckets by value; empty ones are dropped. */
export class Buckets {
  readonly #byValue = new Map<string, Bucket>()

  objects(value: string): readonly KubeObject[] {
    return this.#byValue.get(value)?.objects() ?? nothing
  }

  add(value: string, cell: Cell): void {
    let bucket = this.#byValue.get(value)
    if (bucket === undefined) {
      bucket = new Bucket()
      this.#byValue.set(value, bucket)
    }
    bucket.add(cell)
  }

  remove(value: string, cell: Cell): void {
    const bucket = this.#byValue.get(value)
    if (bucket === undefined) return
    bucket.remove(cell)
    if (bucket.size === 0) this.#byValue.delete(value)
  }
}
