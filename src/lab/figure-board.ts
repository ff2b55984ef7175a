// Figures that a scenario measures, in columns that are compared at its end: `before` and `after`.

import { UsageError } from './scenario-error.ts'
import { tableOf } from './table.ts'

interface Column {
  readonly startedAt: number
  readonly figures: Map<string, string>
}

export class FigureBoard {
  readonly #columns = new Map<string, Column>()

  begin(column: string, startedAt: number): void {
    this.#columns.set(column, { startedAt, figures: new Map() })
  }

  startOf(column: string): number {
    return this.#column(column).startedAt
  }

  set(column: string, figure: string, value: string): void {
    this.#column(column).figures.set(figure, value)
  }

  lines(): readonly string[] {
    const columns = [...this.#columns]
    const names = [...new Set(columns.flatMap(([, { figures }]) => [...figures.keys()]))]
    const rows = names.map((name) => [name, ...columns.map(([, { figures }]) => figures.get(name) ?? '')])
    return tableOf(['', ...columns.map(([name]) => name)], rows)
  }

  #column(name: string): Column {
    const column = this.#columns.get(name)
    if (column === undefined) throw new UsageError(`${name} has not begun: mark ${name} begin`)
    return column
  }
}
